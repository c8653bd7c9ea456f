"""The flows of values in the source of modules: the edges of the graph of :mod:`dependence`.

Nodes are ``("field", name)``, ``("local", number of a function, name)`` and ``OBSERVED``. A variable of a function
counts as one place from its first use to its last, so loops need no special treatment. Variables that other functions
share are observed, and so are all reads in a ``while`` loop, or in a function that such a loop may call (waiting.py).

No name is overlooked: a name that no rule here has met, for instance in an annotation, is *odd*. An odd field may be
bound in unknown ways, to any value.

Cost: a few passes over each tree, and over the stores as often as one of them turns out not to be an int.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from mazurka.lazy_dataclass import dataclass
from mazurka.program.python.analysis.closed_world import words
from mazurka.program.python.analysis.known_classes import KnownClasses, own_object
from mazurka.program.python.analysis.scopes import LexicalScope, Scopes, VariableKind
from mazurka.program.python.analysis.waiting import LoopFunctions

Node = tuple[str, ...]

OBSERVED: Final[Node] = ("observed",)

_ARITHMETIC: Final = (ast.Add, ast.Sub, ast.Mult)
_SIGNS: Final = (ast.UAdd, ast.USub, ast.Not)
_COMPARISONS: Final = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS: Final = (ast.While, ast.AsyncFor)


class SourcePlace(NamedTuple):
    """The source position of an access, as in its site."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Around:
    """The context of an expression or a statement."""

    file: str
    scopes: Scopes
    scope: LexicalScope
    function: str  # the name of the innermost function, "" if there is none
    made: ast.ClassDef | None = None  # the innermost class, if no function is between
    loops: bool = False  # whether a `while` loop of the function is around it
    compared: bool = False  # whether a loop compares the function's variables from pass to pass


@dataclass(frozen=True, slots=True)
class FlowingValue:
    """An expression and the node that its value flows to (None: none)."""

    expression: ast.expr
    sink: Node | None
    around: Around


@dataclass(frozen=True, slots=True)
class Read:
    """A read of a field, whose value flows to ``sink``."""

    place: SourcePlace
    sink: Node | None


@dataclass(frozen=True, slots=True)
class FieldStore:
    """A store to a field: of an attribute of ``receiver``, or of a global (None)."""

    place: SourcePlace
    receiver: ast.expr | None
    around: Around


class Flows:
    """The graph of some modules: call :meth:`read_module` for each, then :meth:`settle`."""

    def __init__(self) -> None:
        self.edges: dict[Node, set[Node]] = {}
        self.reads: list[Read] = []
        self.stores: list[FieldStore] = []
        self.ints: set[Node] = set()  # nodes whose values are surely ints
        self.watched: set[Node] = set()  # nodes that loops look at
        self.loops_at_top = False  # whether a loop compares a module's globals
        self.late: set[str] = set()  # attributes that some object gets only after it has been made
        self.classes = KnownClasses()
        self.waiting = LoopFunctions()
        self._words: set[str] = set()
        self._odd: set[Node] = set()
        self._values: list[FlowingValue] = []
        self._bound: dict[Node, list[FlowingValue]] = {}  # by node: the values of plain stores to it
        self._objects: dict[
            tuple[LexicalScope, str], list[ast.expr | ast.ClassDef | None]
        ] = {}  # the values that variables are bound to
        self._trees: list[tuple[ast.Module, str]] = []
        self._met: set[int] = set()  # names and attributes that a rule has met
        self._looping: set[str] | None = set()

    def read_module(self, file: str, tree: ast.Module) -> None:
        """Add a module; stores and reads across modules are matched by :meth:`settle`."""
        scopes = Scopes(tree)
        self._words |= words(tree)
        self.classes.read(file, tree)
        self.waiting.read(tree)
        self._trees.append((tree, file))
        self._body(tree.body, Around(file, scopes, scopes.module, ""))

    # -- the first pass: stores and their fields ----------------------------------------------------------------------

    def _body(self, body: Iterable[ast.stmt], around: Around) -> None:
        for statement in body:
            self._statement(statement, around)

    def _statement(self, s: ast.stmt, around: Around) -> None:
        match s:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(s, around)
            case ast.ClassDef():
                self._observe([*s.bases, *s.decorator_list, *(k.value for k in s.keywords)], around)
                self._bind(s.name, around)
                self._body(s.body, replace(around, scope=around.scopes.of[s], made=s))
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
                self._store(target, value, around)
            case ast.AnnAssign(target=ast.Name() | ast.Attribute() as target, value=ast.expr() as value):
                self._store(target, value, around)
            case ast.AugAssign(target=ast.Name() | ast.Attribute() as target, op=op, value=value):
                combined = ast.copy_location(ast.BinOp(_loading(target), op, value), s)
                self._store(target, combined, around)
            case ast.Expr(value=value):
                self._values.append(FlowingValue(value, None, around))
            case _:
                loops = isinstance(s, _LOOPS)
                self.loops_at_top |= loops and not around.function
                self._any(s, replace(around, loops=around.loops or loops))

    def _any(self, node: ast.AST, around: Around) -> None:
        """A statement, or a part of one, that observes all its reads, and binds names in other ways."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self._statement(child, around)
            elif isinstance(child, ast.expr):
                self._observe([child], around)
            else:
                self._any(child, around)
        match node:
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                self._bind(name, around)
            case ast.MatchMapping(rest=str(name)):
                self._bind(name, around)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for alias in aliases:
                    self._bind((alias.asname or alias.name).partition(".")[0], around)

    def _function(self, s: ast.FunctionDef | ast.AsyncFunctionDef, around: Around) -> None:
        defaults = [*s.args.defaults, *(d for d in s.args.kw_defaults if d is not None)]
        self._observe([*s.decorator_list, *defaults], around)
        self._bind(s.name, around)
        compared = any(isinstance(each, _LOOPS) for each in ast.walk(s))
        inner = Around(around.file, around.scopes, around.scopes.of[s], s.name, compared=compared)
        me = own_object(s) if around.made is not None else ""
        for parameter in (each.arg for each in ast.walk(s.args) if isinstance(each, ast.arg)):
            self._bind(parameter, inner, around.made if parameter == me else None)
        self._body(s.body, inner)

    def _store(self, target: ast.Name | ast.Attribute, value: ast.expr, around: Around) -> None:
        self._met.add(id(target))
        node = self._node(target, around)
        if isinstance(target, ast.Attribute):
            self._observe([target.value], around)
            self.stores.append(FieldStore(_place(around.file, target, "store", target.attr), target.value, around))
        else:
            owner = self._owner(target.id, around)
            self._objects.setdefault(owner, []).append(value)
            if node[0] == "field":
                self.stores.append(FieldStore(_place(around.file, value, "global", target.id), None, around))
        if around.loops or (around.compared and node[0] == "local"):
            self.watched.add(node)
        if node == OBSERVED or around.made is not None or node[-1].startswith("__"):
            self._odd.add(node)
        stored = FlowingValue(value, node, around)
        self._bound.setdefault(node, []).append(stored)
        self._values.append(stored)

    def _bind(self, name: str, around: Around, to: ast.ClassDef | None = None) -> None:
        """A name is bound in a way that is not followed."""
        self._odd.add(self._node(ast.Name(name), around))
        self._objects.setdefault(self._owner(name, around), []).append(to)

    def _observe(self, expressions: Iterable[ast.expr], around: Around) -> None:
        self._values += [FlowingValue(e, OBSERVED, around) for e in expressions]

    # -- names --------------------------------------------------------------------------------------------------------

    def _owner(self, name: str, around: Around) -> tuple[LexicalScope, str]:
        return around.scopes.resolve(around.scope, name)[1], name

    def _node(self, target: ast.Name | ast.Attribute, around: Around) -> Node:
        """The node of a name or an attribute. Private names, which the compiler spells otherwise, are observed."""
        if isinstance(target, ast.Attribute):
            return ("field", target.attr)
        _, owner = around.scopes.resolve(around.scope, target.id)
        if owner.kind in ("module", "class"):
            return ("field", target.id)
        if owner.kind != "function" or target.id in owner.captured or target.id.startswith("__"):
            return OBSERVED
        return ("local", str(id(owner)), target.id)

    def receiver_class(self, receiver: ast.expr, around: Around) -> ast.ClassDef | None:
        """The known class that the receiver is surely an object of."""
        if not isinstance(receiver, ast.Name):
            return None
        bound = self._objects.get(self._owner(receiver.id, around), [])
        match bound:
            case [ast.ClassDef() as made]:
                return made if made in self.classes.has else None
            case [ast.Call(func=ast.Name(id=name))] if ("field", receiver.id) not in self._by_attribute:
                return self.classes.named(around.file, name)
        return None

    # -- the second pass: types, then edges ---------------------------------------------------------------------------

    def settle(self) -> None:
        """Match stores and reads of all modules added so far; call it once, after the last one."""
        self.classes.settle(self._words)
        self._looping = self.waiting.functions()
        self._by_attribute = {("field", store.place.name) for store in self.stores if store.receiver is not None}
        self._odd |= {("field", word) for word in self._words}
        for value in self._values:
            self._meet(value.expression, value.around)
        self._find_overlooked()
        for store in self.stores:
            self._judge(store)
        self.ints = {node for node in self._bound if node not in self._odd}
        struck = True
        while struck:
            failing = [n for n in self.ints if not all(self._is_int(v.expression, v.around) for v in self._bound[n])]
            self.ints.difference_update(failing)
            struck = bool(failing)
        for value in self._values:
            self._flow(value.expression, OBSERVED if self._waits(value.around) else value.sink, value.around)

    def _waits(self, around: Around) -> bool:
        """Whether a loop may be in progress at that place."""
        return around.loops or (bool(around.function) and (self._looping is None or around.function in self._looping))

    def _meet(self, e: ast.AST, around: Around) -> None:
        """Note the names in an expression; those that it binds are odd."""
        if isinstance(e, ast.Name | ast.Attribute):
            self._met.add(id(e))
            if not isinstance(e.ctx, ast.Load):
                self._odd.add(self._node(e, around))
                if isinstance(e, ast.Name):
                    self._objects.setdefault(self._owner(e.id, around), []).append(None)
        for child, inner in _parts(e, around):
            self._meet(child, inner)

    def _find_overlooked(self) -> None:
        for tree, _ in self._trees:
            for node in ast.walk(tree):
                if isinstance(node, ast.Name | ast.Attribute) and id(node) not in self._met:
                    name = node.id if isinstance(node, ast.Name) else node.attr
                    self._odd.add(("field", name))
                    self._odd |= {each for each in self._bound if each[-1] == name}

    def _judge(self, store: FieldStore) -> None:
        """Decide whether a store only puts the value in the location, without other effects, and always makes the
        location."""
        node = ("field", store.place.name)
        if self._waits(store.around):
            self.watched.add(node)
        if store.receiver is None:
            return
        made = self.receiver_class(store.receiver, store.around)
        if made is None:
            self._odd.add(node)
        elif store.place.name not in self.classes.has[made]:
            self.late.add(store.place.name)

    def _is_int(self, e: ast.expr, around: Around) -> bool:
        match e:
            case ast.Constant(value=value):
                return isinstance(value, int)
            case ast.Name() | ast.Attribute():
                return self._node(e, around) in self.ints
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
                return self._is_int(left, around) and self._is_int(right, around)
            case ast.UnaryOp(op=op, operand=operand) if isinstance(op, _SIGNS):
                return self._is_int(operand, around)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _COMPARISONS):
                return self._is_int(left, around) and self._is_int(right, around)
        return False

    def _flow(self, e: ast.AST, sink: Node | None, around: Around) -> None:
        """Follow the values of the parts of an expression."""
        match e:
            case ast.Name(id=name, ctx=ast.Load()):
                if around.scopes.resolve(around.scope, name)[0] is VariableKind.BUILTIN:
                    return
                node = self._node(e, around)
                if node[0] == "field":
                    to = OBSERVED if around.made is not None else sink
                    self.reads.append(Read(_place(around.file, e, "global", name), to))
                elif sink is not None:
                    self.edges.setdefault(node, set()).add(sink)
            case ast.Attribute(value=receiver, attr=name, ctx=ast.Load()):
                self.reads.append(Read(_place(around.file, e, "read", name), sink))
                self._flow(receiver, OBSERVED, around)
            case _:
                plain = isinstance(e, ast.BinOp | ast.UnaryOp | ast.Compare) and self._is_int(e, around)
                for child, inner in _parts(e, around):
                    self._flow(child, sink if plain else OBSERVED, inner)


def _parts(e: ast.AST, around: Around) -> Iterator[tuple[ast.AST, Around]]:
    """The parts of an expression; defaults, and a comprehension's first iterable, are outside of its scope."""
    inner = replace(around, scope=around.scopes.of[e]) if e in around.scopes.of else around
    match e:
        case ast.Lambda(args=arguments, body=body):
            for default in [*arguments.defaults, *filter(None, arguments.kw_defaults)]:
                yield default, around
            yield body, inner
        case ast.ListComp(generators=[first, *_]) | ast.SetComp(generators=[first, *_]):
            yield first.iter, around
            yield from _within(e, first, inner)
        case ast.DictComp(generators=[first, *_]) | ast.GeneratorExp(generators=[first, *_]):
            yield first.iter, around
            yield from _within(e, first, inner)
        case _:
            yield from ((child, inner) for child in ast.iter_child_nodes(e))


def _within(e: ast.AST, first: ast.comprehension, inner: Around) -> Iterator[tuple[ast.AST, Around]]:
    """The parts of a comprehension without its first iterable."""
    yield from ((part, inner) for part in (first.target, *first.ifs))
    yield from ((child, inner) for child in ast.iter_child_nodes(e) if child is not first)


def _place(file: str, node: ast.expr, kind: str, name: str) -> SourcePlace:
    end_line, end_column = node.end_lineno or 0, node.end_col_offset or 0
    return SourcePlace(file, node.lineno, node.col_offset + 1, end_line, end_column, kind, name)


def _loading(target: ast.Name | ast.Attribute) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
