"""The checks of a Python program on the values that it reads (explore/guidance/checks.py), found in its source.

Four ways to fail are looked for: ``assert``; ``if`` with a ``raise`` at the top of a branch; an attribute, an item, a
call or an operation of a value that may be None; a look-up of an element that may be missing (an attribute, a global, a
key). Any other test of ``if`` and ``while`` is a check, too. An exception that a handler of the same function catches
is no failure.

An expression becomes a term if it is plain arithmetic over constants and over reads that are sites; a local variable
stands for the expression that it is bound to if that is its only binding in the function (an intraprocedural slice), a
parameter that is never bound again for the argument. Each check knows the conditions under which it is reached: the
tests around it, those before it that leave the block, the operands before it in ``and`` and ``or``. Any other
expression is unknown, and nothing is predicted from it.

Cost: a file is parsed when a check of it is first asked for, a function analysed once: a few microseconds a node.
"""

from __future__ import annotations

import ast
import sys
import tokenize
import types
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from mazurka.program.conditions import Check, CheckKind, SymbolicStore, Uses
from mazurka.program.python.frame_variables import variables_of
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics.objects import SCALARS, value_key
from mazurka.program.terms import UNKNOWN_TERM, Term, read_in

#: Kinds of sites whose step reads the value of the expression there.
_READING: Final = frozenset({"read", "read item", "global"})

#: Kinds of sites whose step stores the value assigned to the expression there.
_STORING: Final = frozenset({"store", "write item", "change item"})

#: Kinds of sites whose step fails where the element is missing.
_NEEDING: Final = _READING | {"delete item"}

_COMPARING: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
_ARITHMETIC: Final[dict[type[ast.operator], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
_ORDERING: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)

#: Handlers of these names catch every exception; an empty name is ``except:`` or an expression that is no plain name.
_ANY: Final = frozenset({"", "Exception", "BaseException"})
_CATCHES: Final[dict[CheckKind, frozenset[str]]] = {
    CheckKind.ASSERTION: _ANY | {"AssertionError"},
    CheckKind.NONE: _ANY | {"AttributeError", "TypeError"},
    CheckKind.MISSING: _ANY | {"AttributeError", "KeyError", "LookupError", "NameError"},
}

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Under = tuple[tuple[Term, bool], ...]

#: The greatest depth of terms, and the depth that it takes to replace a local variable by the expression that it is
#: bound to.
_DEPTH: Final = 40
_FOLLOWING: Final = 12


class CheckedSource:
    """The checks of one file, by the site of a read that decides them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: dict[int, list[Check]] = {}
        self.stores: dict[int, list[SymbolicStore]] = {}
        self.asked: set[int] = set()
        self._at: dict[tuple[int, int, int, int], list[int]] = {}
        numbers = sites.numbers(file)
        self.sites = len(numbers)
        for number in numbers:
            known = sites.site(number)
            assert known is not None
            place = (known.line, known.column - 1, known.end_line, known.end_column)
            self._at.setdefault(place, []).append(number)
        self._waiting = _functions(_parsed(file))

    def uses(self, site: int) -> Uses:
        """The checks and stores that depend on a read at a site."""
        if site not in self.asked:
            self.asked.add(site)
            line = known.line if (known := sites.site(site)) is not None else 0
            for function in [each for each in self._waiting if _first(each) <= line <= _last(each)]:
                self._waiting.remove(function)
                self._analyse(function)
        return Uses(self.found.get(site, ()), self.stores.get(site, ()))

    def _analyse(self, function: _Function | ast.Module) -> None:
        try:
            finder = _Finder(self, function)
        except RecursionError:  # hundreds of nested expressions: nothing is predicted from these
            return
        for check in finder.checks:
            for decided_by in {*read_in(check.term)}:
                self.found.setdefault(decided_by, []).append(check)
        for store in finder.stores:
            for read in {*read_in(store.term)}:
                self.stores.setdefault(read, []).append(store)

    def site_at(self, node: ast.AST, kinds: Iterable[str]) -> int | None:
        """The site of an expression."""
        place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        return next((each for each in self._at.get(place, ()) if _kind(each) in kinds), None)


def _kind(site: int) -> str:
    known = sites.site(site)
    return known.kind if known is not None else ""


def _parsed(file: str) -> ast.Module:
    try:
        with tokenize.open(file) as source, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the import has warned of the same text
            return ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])


def _functions(tree: ast.Module) -> list[_Function | ast.Module]:
    """The module and all functions, including nested ones: each has variables of its own."""
    return [tree, *[node for node in ast.walk(tree) if isinstance(node, _Function)]]


def _first(node: _Function | ast.Module) -> int:
    return 0 if isinstance(node, ast.Module) else node.lineno


def _last(node: _Function | ast.Module) -> float:
    return float("inf") if isinstance(node, ast.Module) else node.end_lineno or node.lineno


_known: dict[str, CheckedSource] = {}


def uses_of(site: int) -> Uses:
    """The checks and stores that depend on a read at a site."""
    if (known := sites.site(site)) is None or not sites.is_registered(known.file):
        return Uses()  # also for a call that the standard library makes for the program
    source = _known.get(known.file)
    if source is None or source.sites != len(sites.numbers(known.file)):
        source = _known[known.file] = CheckedSource(known.file)
    return source.uses(site)


#: By site: whether checks or stores depend on a read there; None where that has not been asked yet.
_decides: Final[dict[int, bool | None]] = {}


def look_ahead() -> None:
    """A run begins: learn which sites it is of use to know the arguments at, among those that earlier ones came to."""
    for site in [site for site, decides in _decides.items() if decides is None]:
        _decides[site] = any(uses_of(site))


def arguments(site: int) -> dict[str, Any]:
    """The arguments of the innermost running function of the program, as far as they are plain: keys by name. None at
    sites of which they decide nothing."""
    if _decides.setdefault(site, None) is False:
        return {}
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename not in sites.instrumented:
        frame = frame.f_back
    if frame is None or not (names := frame.f_code.co_varnames[: _parameters(frame.f_code)]):
        return {}
    found = variables_of(frame)
    return {name: value_key(found[name]) for name in names if name in found and _is_scalar(found[name])}


def _is_scalar(value: Any) -> bool:
    kind = type(value)
    return any(kind is each for each in SCALARS)  # a class may have no hash, by its metaclass


def _parameters(code: types.CodeType) -> int:
    """The number of a function's parameters, without those for any number of arguments."""
    return code.co_argcount + code.co_kwonlyargcount


class _Finder:
    """Looks for checks in one function."""

    def __init__(self, source: CheckedSource, function: _Function | ast.Module) -> None:
        self.source = source
        self.checks: list[Check] = []
        self.stores: list[SymbolicStore] = []
        self.bound, self.given = ({}, set()) if isinstance(function, ast.Module) else _bound_once(function)
        self._block(function.body, (), frozenset())

    # -- statements ---------------------------------------------------------------------------------------------------

    def _block(self, statements: Sequence[ast.stmt], under: _Under, caught: frozenset[str]) -> None:
        for statement in statements:
            under = self._statement(statement, under, caught)

    def _statement(self, node: ast.stmt, under: _Under, caught: frozenset[str]) -> _Under:
        """Look at a statement; returns the conditions that hold after it."""
        match node:
            case ast.If() | ast.While():
                return self._decides(node, under, caught)
            case ast.Assert(test=test):
                term = self.term(test)
                self._expression(test, under, caught)
                self._add(CheckKind.ASSERTION, node, ("apply", "not", term), under, caught)
                return (*under, (term, True))
            case ast.Try() | ast.TryStar():
                self._block(node.body, under, caught | {name for h in node.handlers for name in _names(h.type)})
                for part in (node.orelse, node.finalbody, *[handler.body for handler in node.handlers]):
                    self._block(part, under, caught)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                pass
            case ast.ClassDef():
                self._block(node.body, under, caught)
            case ast.Delete(targets=targets):
                for target in targets:
                    self._parts(target, under, caught)
                    self._misses(target, under, caught)
            case ast.AugAssign(target=target, value=value):
                self._uses(target, under, caught)
                self._misses(target, under, caught)
                self._expression(value, under, caught)
                if type(node.op) in _ARITHMETIC and (site := self.source.site_at(target, _READING)) is not None:
                    self._stored(target, ("apply", _ARITHMETIC[type(node.op)], ("read", site), self.term(value)))
            case ast.Assign(targets=[target], value=value):
                self._parts(node, under, caught)
                self._stored(target, self.term(value))
            case _:
                self._parts(node, under, caught)
        return under

    def _stored(self, target: ast.expr, term: Term) -> None:
        site = self.source.site_at(target, _STORING)
        if site is not None and any(True for _ in read_in(term)):
            self.stores.append(SymbolicStore(site, term))

    def _parts(self, node: ast.AST, under: _Under, caught: frozenset[str]) -> None:
        """The expressions and blocks of any other statement."""
        for _, part in ast.iter_fields(node):
            parts = part if isinstance(part, list) else [part]
            for each in parts:
                if isinstance(each, ast.expr):
                    self._expression(each, under, caught)
                elif isinstance(each, (ast.withitem, ast.match_case, ast.pattern)):
                    self._parts(each, under, caught)
            if parts and isinstance(parts[0], ast.stmt):
                self._block(parts, under, caught)

    def _decides(self, node: ast.If | ast.While, under: _Under, caught: frozenset[str]) -> _Under:
        term = self.term(node.test)
        self._expression(node.test, under, caught)
        self._add(CheckKind.TEST, node.test, term, under, frozenset())
        if isinstance(node, ast.If):
            self._raises(node.body, term, under, caught)
            self._raises(node.orelse, ("apply", "not", term), under, caught)
        self._block(node.body, (*under, (term, True)), caught)
        self._block(node.orelse, (*under, (term, False)), caught)
        if isinstance(node, ast.If):
            if _leaves(node.body):
                under = (*under, (term, False))
            if _leaves(node.orelse):
                under = (*under, (term, True))
        return under

    def _raises(self, block: Sequence[ast.stmt], term: Term, under: _Under, caught: frozenset[str]) -> None:
        raised = next((each for each in block if isinstance(each, ast.Raise)), None)
        if raised is not None and not caught & (_ANY | set(_names(raised.exc))):
            self._add(CheckKind.RAISE, raised, term, under, frozenset())

    # -- expressions --------------------------------------------------------------------------------------------------

    def _expression(self, node: ast.expr, under: _Under, caught: frozenset[str]) -> None:
        match node:
            case ast.BoolOp(values=values):
                for value in values:
                    self._expression(value, under, caught)
                    under = (*under, (self.term(value), isinstance(node.op, ast.And)))
                return
            case ast.IfExp(test=test):
                self._expression(test, under, caught)
                self._expression(node.body, (*under, (self.term(test), True)), caught)
                self._expression(node.orelse, (*under, (self.term(test), False)), caught)
                return
            case ast.Lambda():
                return
            case ast.Attribute(value=used) | ast.Subscript(value=used) | ast.Call(func=used):
                self._uses(used, under, caught)
            case ast.BinOp(left=left, right=right):
                self._uses(left, under, caught)
                self._uses(right, under, caught)
            case ast.Compare(ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], left=left, comparators=[right]):
                self._uses(left, under, caught)
                self._uses(right, under, caught)
        self._misses(node, under, caught)
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self._expression(part, under, caught)
            elif isinstance(part, ast.keyword):
                self._expression(part.value, under, caught)

    def _uses(self, node: ast.expr, under: _Under, caught: frozenset[str]) -> None:
        """An expression is used in a way that fails for None."""
        self._add(CheckKind.NONE, node, ("apply", "is", self.term(node), ("value", None)), under, caught)

    def _misses(self, node: ast.expr, under: _Under, caught: frozenset[str]) -> None:
        """An expression fails if the element that it reads, or deletes, is missing."""
        site = self.source.site_at(node, _NEEDING)
        if site is not None and not isinstance(getattr(node, "ctx", None), ast.Store):
            self._add(CheckKind.MISSING, node, ("apply", "is missing", ("read", site)), under, caught)

    def _add(self, kind: CheckKind, node: ast.AST, term: Term, under: _Under, caught: frozenset[str]) -> None:
        if any(True for _ in read_in(term)) and not caught & _CATCHES.get(kind, frozenset()):
            first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
            self.checks.append(Check(kind, self.source.file, first, last, term, under))

    # -- terms --------------------------------------------------------------------------------------------------------

    def term(self, node: ast.expr, depth: int = _DEPTH) -> Term:
        """The term for the value of an expression."""
        if depth <= 0:
            return UNKNOWN_TERM
        match node:
            case ast.Constant(value=value):
                return ("value", value)
            case ast.Name(id=name) if name in self.bound:
                return self.term(self.bound[name], depth - _FOLLOWING)
            case ast.Name() | ast.Attribute() | ast.Subscript():
                site = self.source.site_at(node, _READING)
                if site is None and isinstance(node, ast.Name) and node.id in self.given:
                    return ("given", node.id)
                return UNKNOWN_TERM if site is None else ("read", site)
            case ast.NamedExpr(value=inner):
                return self.term(inner, depth - 1)
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return ("apply", "not", self.term(inner, depth - 1))
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return ("apply", "neg", self.term(inner, depth - 1))
            case ast.BoolOp(op=op, values=values):
                return ("all" if isinstance(op, ast.And) else "any", *[self.term(each, depth - 1) for each in values])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return ("choose", self.term(test, depth - 1), self.term(body, depth - 1), self.term(orelse, depth - 1))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return ("apply", _ARITHMETIC[type(op)], self.term(left, depth - 1), self.term(right, depth - 1))
            case ast.Tuple(elts=parts):
                return ("apply", "tuple", *[self.term(part, depth - 1) for part in parts])
            case ast.Compare():
                return self._compared(node, depth)
            case ast.Call():
                return self._called(node, depth)
        return UNKNOWN_TERM

    def _compared(self, node: ast.Compare, depth: int) -> Term:
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            site = self.source.site_at(node, ("search",))
            absent = UNKNOWN_TERM if site is None else ("apply", "is missing", ("read", site))
            return absent if isinstance(node.ops[0], ast.NotIn) else ("apply", "not", absent)
        terms = [self.term(each, depth - 1) for each in (node.left, *node.comparators)]
        names = [_COMPARING.get(type(op)) for op in node.ops]
        pairs = [("apply", str(name), *pair) for name, pair in zip(names, pairwise(terms), strict=True)]
        return pairs[0] if len(pairs) == 1 else ("all", *pairs)

    def _called(self, node: ast.Call, depth: int) -> Term:
        """``get`` of a dictionary has a default for missing keys."""
        site = self.source.site_at(node, ("call",))
        known = None if site is None else sites.site(site)
        if site is None or known is None or known.name != "get" or node.keywords or len(node.args) not in (1, 2):
            return UNKNOWN_TERM
        default: Term = ("value", None) if len(node.args) == 1 else self.term(node.args[1], depth)
        return ("get", ("read", site), default)


def _names(node: ast.expr | None) -> list[str]:
    """The names of exceptions: of a handler's type, or of a raised expression."""
    match node:
        case ast.Tuple(elts=parts):
            return [name for part in parts for name in _names(part)]
        case ast.Call(func=function):
            return _names(function)
        case ast.Name(id=name):
            return [name]
    return [""]


def _leaves(block: Sequence[ast.stmt]) -> bool:
    """Whether control always leaves a block before its end, so that the code after its statement is not reached through
    it."""
    return bool(block) and isinstance(block[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _bound_once(function: _Function) -> tuple[dict[str, ast.expr], set[str]]:
    """The variables of a function with a single binding by a plain assignment, with its expression; and such
    parameters."""
    every = function.args
    parameters = {each.arg for each in (*every.posonlyargs, *every.args, *every.kwonlyargs)}
    starred = {each.arg for each in (every.vararg, every.kwarg) if each is not None}
    counts = Counter({*parameters, *starred})
    values: dict[str, ast.expr] = {}
    for node in ast.walk(function):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                values[name] = value
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=parts)) if len(targets) == len(
                parts
            ):
                pairs = zip(targets, parts, strict=True)
                values.update({to.id: part for to, part in pairs if isinstance(to, ast.Name)})
        counts.update(_bindings(node))
    once = {name for name in (*values, *parameters) if counts[name] == 1 and not _is_shared(function, name)}
    return {name: value for name, value in values.items() if name in once}, parameters & once


def _bindings(node: ast.AST) -> list[str]:
    """The names that a node binds; a name that other code may bind, too, occurs twice."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return 2 * names
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return 2 * [name]
        case ast.alias():
            return 2 * [node.asname or node.name.partition(".")[0]]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return 2 * [name]
    return []


def _is_shared(function: _Function, name: str) -> bool:
    """Whether inner functions use the name: then reads of it are sites of their own."""
    inner = [node for node in ast.walk(function) if isinstance(node, _Function | ast.Lambda) and node is not function]
    return any(isinstance(each, ast.Name) and each.id == name for node in inner for each in ast.walk(node))
