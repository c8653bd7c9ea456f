"""The part common to all rules of the rewriter: position in the module, scopes of names, calls of hooks.

A *rule* takes the rewriter and a node and returns the node's replacement; each kind of node has at most one rule.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol

from mazurka.lazy_dataclass import dataclass
from mazurka.program.python.analysis.scopes import LexicalScope, Scopes, VariableKind, Way, mangle
from mazurka.program.python.instrument import sites
from mazurka.program.python.instrument.rewrite import reentrant
from mazurka.program.python.instrument.rewrite.asked_modules import asked_for
from mazurka.program.python.instrument.rewrite.nodes import (
    DISPLAYS,
    FRESH,
    at,
    calls_nothing,
    constant,
    duplicate,
    elements,
    is_ours,
    reading,
)
from mazurka.program.python.instrument.rewrite.status_uses import made_by_displays, may_unpack_status
from mazurka.program.python.instrument.woven_names import NONE, WovenNames

#: Builtins that return numbers, texts or ranges.
_COUNTING = "range len int float ord hash id str repr bool isinstance chr hex callable".split()

#: Expressions that stand twice in a rewritten module: with hooks, and as they are for times at which hooks are
#: inactive.
_DOUBLED: Final = (
    ast.Attribute,
    ast.Subscript,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.BoolOp,
    ast.IfExp,
    ast.Name,
)

#: Names by which code gets at the traceback or context of an exception; they may be parts of texts, too.
_OF_TRACEBACKS: Final = re.compile(
    r"traceback|__cause__|__context__|__suppress_context__|exc_info|print_exc|format_exc|excepthook|tb_next|tb_frame|"
    r"tb_lineno|^tb$|^logging|^inspect$|^cgitb$|^pdb$",
    re.IGNORECASE,
)

#: Names by which code gets at the times, or the number, of a file.
_OF_TIMES: Final = re.compile(r"st_[amc]time|st_ino|st_birthtime|get[amc]time|^inode$", re.IGNORECASE)

#: Functions that get an attribute by its name.
_BY_NAME: Final = frozenset("getattr attrgetter __getattribute__ getattr_static getmembers".split())


#: Names by which code gets at the warnings that have been issued.
_OF_REGISTRIES: Final = re.compile(r"^__warningregistry__$|^onceregistry$")
#: Names by which code gets at the variables of other functions, or at objects of others.
_OF_FRAMES: Final = re.compile(
    r"^f_locals$|^_?getframe|^_current_frames$|^currentframe$|_frame$|^get_objects$|^get_referr|^settrace|^setprofile|"
    r"^ctypes$",
)
_BY_TEXT: Final = {"frames": _OF_FRAMES, "traceback": _OF_TRACEBACKS, "times": _OF_TIMES, "registries": _OF_REGISTRIES}

#: The indices of these in the status of a file, if code uses that as a tuple.
_IN_STATUS: Final = (1, 7, 8, 9, -1, -2, -3)


def _name(node: ast.Attribute | ast.alias) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.name


#: Expressions in which a generator or a coroutine waits, and may be closed.
_WAITING: Final = (ast.Yield, ast.YieldFrom, ast.Await)

#: Names by which code gets at the type of an object.
_TYPES: Final = frozenset({"type", "__class__"})


def mentioned(tree: ast.Module) -> set[str]:
    """The kinds of entries about a module that follow from names in it: `frames` if it mentions a name for looking at
    frames, `traceback` if it mentions a name for looking
    at tracebacks, or gets attributes by computed names, `times` if it mentions times or numbers of files, `registries`
    if it mentions those of warnings, `types` if it asks for types of objects, `weak` if it uses weak references,
    `finalizer` if it mentions `__del__`, `named finalizer` if a class gets it by this name as a text,
    `closing` if generators or coroutines wait within a `try` or `with`,
    `descriptors` if it gets at numbers of descriptors, and compares values, `opening` if it mentions functions that
    open descriptors unseen."""
    nodes = [*ast.walk(tree)]
    found = _of_ends(nodes)
    status = _keeps_status(nodes)
    made = made_by_displays(tree) if status else set()
    for node in nodes:
        match node:
            case ast.Name(name) | ast.Attribute(_, name) | ast.alias(name) | ast.arg(name) | ast.ImportFrom(str(name)):
                found.update(kind for kind, known in _BY_TEXT.items() if known.search(name))
                if "weak" in name.lower():
                    found.add("weak")
                if name in _TYPES:
                    found.add("types")
                if name in _OPENING:
                    found.add("opening")
            case ast.Constant("__class__"):
                found.add("types")
            case ast.Constant(str(text)) if " " not in text:
                found.update(kind for kind, known in _BY_TEXT.items() if known.search(text))
            case ast.Subscript(ast.Name(name), ast.Constant(int(index))) if name in made:
                pass
            case ast.Subscript(_, ast.Constant(int(index))) if index in _IN_STATUS and status:
                found.add("times")
            case ast.Assign([ast.Tuple(names) | ast.List(names)]) if status and may_unpack_status(names):
                found.add("times")
            case ast.Call(ast.Attribute(_, "exception"), [_, *_]):  # of a logger
                found.add("traceback")
            case ast.Call(ast.Name(name) | ast.Attribute(_, name), given) if name in _BY_NAME:
                if not all(isinstance(each, ast.Constant) for each in given[1 if name == "getattr" else 0 :]):
                    found.add("traceback")
    passed_on = _passed_on(nodes)
    if any(_is_of_descriptors(node) and id(node) not in passed_on for node in nodes) and any(map(_compares, nodes)):
        found.add("descriptors")
    return found


def _of_ends(nodes: list[ast.AST]) -> set[str]:
    """The kinds of entries of a module that may run code at the end of an object."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case (
                ast.FunctionDef("__del__") | ast.Name("__del__") | ast.Attribute(_, "__del__") | ast.Constant("__del__")
            ):
                found.add("finalizer")
            case ast.Dict(keys) if any(isinstance(each, ast.Constant) and each.value == "__del__" for each in keys):
                found.add("named finalizer")
            case ast.Call(args=[_, ast.Constant("__del__"), _]):  # of `setattr`
                found.add("named finalizer")
            case ast.AsyncWith():
                found.add("closing")
            case ast.Try() | ast.TryStar() | ast.With() if any(isinstance(each, _WAITING) for each in ast.walk(node)):
                found.add("closing")
    return found


def _keeps_status(nodes: list[ast.AST]) -> bool:
    """Whether code may have the status of a file at hand, a tuple: other than for an attribute taken at once."""
    at_once: set[int] = set()
    for node in nodes:
        match node:
            case ast.Attribute(ast.Call(ast.Attribute() as function), _):
                at_once.add(id(function))
    return any(
        isinstance(node, ast.Attribute | ast.alias) and _name(node).endswith("stat") and id(node) not in at_once
        for node in nodes
    )


def _passed_on(nodes: list[ast.AST]) -> set[int]:
    """The identities of the nodes of ``x.fileno`` whose number goes directly to a function in C that only uses it."""
    imports = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    imported = {alias.name for alias in imports if not alias.asname}
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    bound |= {alias.asname or alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    bound |= {alias.asname for alias in imports if alias.asname}
    found: set[int] = set()
    for node in nodes:
        match node:
            case ast.Call(ast.Attribute(ast.Name(module), name), [ast.Call(ast.Attribute(_, "fileno") as asked), *_]):
                if name in _USERS.get(module, ()) and module in imported and module not in bound:
                    found.add(id(asked))
    return found


#: Functions in C that keep no number of a descriptor, and return none, by their modules.
_USERS: Final = {
    "mmap": frozenset({"mmap"}),
    "fcntl": frozenset({"flock", "lockf"}),
    "os": frozenset("fsync fdatasync fstat ftruncate isatty fchmod get_terminal_size posix_fadvise".split()),
}


#: Names by which code gets at the number of a descriptor.
_OF_DESCRIPTORS: Final = frozenset("fileno pipe pipe2 dup dup2 openpty mkstemp memfd_create eventfd detach".split())

#: Names of functions that open descriptors, or copy them, and are no steps that say so.
_OPENING: Final = frozenset(
    "ctypes eventfd fanotify forkpty inotify mmap openpty pidfd_open popen signalfd timerfd_create userfaultfd".split()
)

#: Functions that compare their arguments.
_COMPARERS: Final = frozenset("sorted min max sort index remove set frozenset".split())


def _is_of_descriptors(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(ast.Name("os"), "open"):
            return True
        case ast.Attribute(_, name) | ast.alias(name):
            return name in _OF_DESCRIPTORS
    return False


def is_constant(node: ast.expr) -> bool:
    """Whether an expression is made of constants."""
    inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
    return isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Set | ast.UnaryOp) and all(
        map(is_constant, inner)
    )


def _compares(node: ast.AST) -> bool:
    """Whether a node compares values that are no constants."""
    match node:
        case ast.Compare(left, _, [right]):
            return not is_constant(left) and not is_constant(right)
        case ast.Compare():
            return True
        case ast.Call(ast.Name(name) | ast.Attribute(_, name)):
            return name in _COMPARERS
    return False


Rule = Callable[["Rewriter", Any], Any]  # the node's class is the rule's key
Rules = Mapping[type[ast.AST], Rule]


@dataclass(frozen=True, slots=True)
class EventOptions:
    """Further events, for traces; they are off while exploring, where they would only cost time."""

    branches: bool = False
    calls: bool = False
    woven: WovenNames = NONE  # of operations that may be events of properties


class Weaving(Protocol):
    """Makes the hooks at operations that may be events of properties (weaving.py); None where an operation can be
    none."""

    def target(self, node: ast.expr, deletes: bool = False) -> ast.expr | None:
        """The target of a store, or a deletion."""
        ...

    def tested(self, node: ast.expr) -> ast.expr | None:
        """An expression that is tested for truth."""
        ...

    def iterated(self, value: ast.expr, original: ast.expr) -> ast.expr | None:
        """The iterable of a loop."""
        ...

    def delegated(self, value: ast.expr, original: ast.expr) -> ast.expr:
        """The operand of ``yield from``."""
        ...

    def gone_through(self, value: ast.expr, original: ast.expr) -> ast.expr | None:
        """A value whose elements are unpacked."""
        ...

    def managed(self, value: ast.expr, original: ast.expr) -> ast.expr:
        """A context manager."""
        ...

    def enclosed(self, node: ast.FunctionDef | ast.AsyncFunctionDef, body: list[ast.stmt]) -> list[ast.stmt]:
        """The body of a function."""
        ...

    def is_left(self, name: str) -> bool:
        """Whether the end of a function of this name may be an event."""
        ...


#: The beginning of the file names of texts that `exec` gets.
EXECUTED: Final = "<exec "


class Rewriter(ast.NodeTransformer):
    """Rewrites one module by the given rules; holds the position in the module."""

    def __init__(self, tree: ast.Module, filename: str, options: EventOptions, rules: Rules) -> None:
        self.rules = rules
        self.numbering = sites.SiteNumbering(filename)
        self.options = options
        self.scopes = Scopes(tree)
        if filename.startswith(EXECUTED) or filename in sites.names_of_compiled:
            self.scopes.make_variables(tree)
        self.scope = self.scopes.module
        self.owner = ""  # the class whose private names are being mangled
        self.path: list[str] = []
        self.loops: list[int] = []  # sites of the enclosing `while` loops of this function
        self.handed_in: set[str] = set()  # names of attributes that are stored in objects other than `self`
        self.said: set[str] = set()  # kinds of entries about the whole module
        self.asked_by_name: set[str] = set()  # modules that are looked for, one by one
        self._keys = asked_for(tree)
        self.hooks = 0  # how many calls of hooks have been made so far
        self.doubling = False  # whether this is in the first of two copies of an expression
        self.weaver: Weaving | None = None  # if operations may be events of properties
        self.reports_leaving = False  # whether the end of this function may be such an event
        self.reports_return = False  # whether returns of this function get hooks
        self.gives_value = False  # whether these are only for the returned value
        self.reporting = reentrant.possible(tree)
        self.plain_locals: dict[tuple[LexicalScope, str], bool] = {}
        self.module_known = "__name__" not in self.scopes.module.bindings

    def rewrite(self, tree: ast.Module) -> ast.Module:
        """The module, rewritten."""
        self.said |= mentioned(tree)
        tree.body = self.statements(tree.body)
        for kind in sorted(self.said):
            self.number(tree, kind)
        for name in sorted(self.handed_in):
            self.number(tree, "stored from outside", name)
        for name in sorted(self.asked_by_name):
            self.number(tree, "asked for", name)
        return ast.fix_missing_locations(tree)

    def visit(self, node: ast.AST) -> Any:
        """The replacement of a node."""
        rule = self.rules.get(type(node))
        if rule is None:
            return self.generic_visit(node)
        if isinstance(node, _DOUBLED) and not self.doubling:
            return self.doubled(node, lambda: rule(self, node))
        return rule(self, node)

    def doubled(self, node: ast.expr, rewritten: Callable[[], ast.expr]) -> ast.expr:
        """``rewritten()``, which makes hooks for ``node``, and ``node`` as it is for times at which hooks are inactive.

        Only if ``node`` calls nothing: after a call that starts a thread, the rest of the expression would have no
        hooks. Threads that properties and operators start are noticed (:mod:`mazurka.program.python.instrument.rest`).
        """
        if self.doubling or self.weaver is not None or not calls_nothing(node):
            return rewritten()
        hooks, original = self.hooks, duplicate(node)
        self.doubling = True
        try:
            result = rewritten()
        finally:
            self.doubling = False
        return result if hooks == self.hooks else at(ast.IfExp(self.awake(node), result, original), node)

    def awake(self, like: ast.AST) -> ast.expr:
        """The test whether hooks are active."""
        return reading("__mz_on__", like)

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """A body, rewritten."""
        result: list[ast.stmt] = []
        for statement in body:
            rewritten = self.visit(statement)
            if isinstance(rewritten, list):
                result += rewritten
            else:
                result.append(rewritten)
        return result

    def number(self, node: ast.AST, kind: str, name: str = "") -> int:
        """The number of a new site."""
        return self.numbering.new(node, ".".join(self.path), kind, name)

    def stores(self, target: ast.Attribute) -> None:
        """An attribute is stored here."""
        if not (isinstance(target.value, ast.Name) and target.value.id == "self"):
            self.handed_in.add(self.mangled(target.attr))

    def asks_for_modules(self, node: ast.Attribute) -> None:
        """A name or attribute `modules`, like that of `sys`, is read here."""
        if (key := self._keys.get(id(node))) is None:
            self.said.add("modules")
        else:
            self.asked_by_name.add(key)

    def site(self, node: ast.AST, kind: str, name: str = "") -> ast.expr:
        """The number of a new site, as an argument of a hook."""
        return constant(self.number(node, kind, name), node)

    def hook(self, name: str, args: list[ast.expr], like: ast.AST) -> ast.Call:
        """A call of a hook."""
        self.hooks += 1
        return at(ast.Call(reading(f"__mz_{name}__", like), args, []), like)

    def through(self, function: str, hook: ast.Call, like: ast.AST) -> ast.Call:
        """``function(*hook)``: a hook that hands on several operands."""
        return at(ast.Call(reading(f"__mz_{function}__", like), [at(ast.Starred(hook, ast.Load()), like)], []), like)

    def mangled(self, name: str) -> str:
        """A name as the compiler spells it here."""
        return mangle(name, self.owner)

    def resolve(self, name: str) -> tuple[VariableKind, LexicalScope]:
        """The meaning of a name here, and the scope that it belongs to."""
        return self.scopes.resolve(self.scope, self.mangled(name))

    def steady(self, node: ast.expr) -> bool:
        """Whether evaluating an expression twice gives the same value and has no effect."""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            if node.id.startswith("@"):
                return False
            return self.resolve(node.id)[0] in (VariableKind.LOCAL, VariableKind.CONSTANT, VariableKind.BUILTIN)
        if isinstance(node, ast.Tuple):
            return all(self.steady(part) for part in node.elts)
        return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)

    def plain(self, node: ast.expr) -> bool:
        """Whether the value of an expression is an immutable one like a number or text, or a range of numbers."""
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            return True
        if isinstance(node, ast.Name):
            return self._is_plain_local(node.id)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Not) or self.plain(node.operand)
        if isinstance(node, ast.BoolOp):
            return all(map(self.plain, node.values))
        if isinstance(node, ast.BinOp):
            return self.plain(node.left) and self.plain(node.right)
        if isinstance(node, ast.Compare):
            return all(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in node.ops) or all(
                self.plain(each) for each in (node.left, *node.comparators)
            )
        return isinstance(node, ast.Call) and self.is_builtin(node.func, _COUNTING)

    def is_shared(self, node: ast.expr, inside: bool = False) -> bool:
        """Whether other threads may have the value of an expression, or, with ``inside``, an element of it."""
        if isinstance(node, ast.GeneratorExp) or self.plain(node) or is_ours(node):
            return False
        if inside and isinstance(node, DISPLAYS):
            return not all(map(self.plain, elements(node)))
        return not isinstance(node, FRESH) or (inside and not isinstance(node, ast.Lambda))

    def is_own(self, node: ast.expr) -> bool:
        """Whether an expression is a variable whose containers no other code has."""
        if not isinstance(node, ast.Name) or node.id not in self.scope.containers:
            return False
        variable, owner = self.resolve(node.id)
        return variable is VariableKind.LOCAL and owner is self.scope

    def _is_plain_local(self, name: str) -> bool:
        """Whether all values that are assigned to a local variable are plain."""
        variable, owner = self.resolve(name)
        name = self.mangled(name)
        if variable is not VariableKind.LOCAL or owner.kind != "function" or owner.ways.get(name) != {Way.EXPRESSION}:
            return False
        known = self.plain_locals.get((owner, name))
        if known is None:
            self.plain_locals[owner, name] = True  # while it is being determined
            known = self.plain_locals[owner, name] = owner is self.scope and all(
                map(self.plain, owner.given.get(name, [ast.Name("", ast.Load())]))
            )
        return known

    def is_builtin(self, node: ast.expr, names: Iterable[str]) -> bool:
        """Whether an expression is the name of one of those builtins."""
        return isinstance(node, ast.Name) and node.id in names and self.resolve(node.id)[0] is VariableKind.BUILTIN

    def imported(self, node: ast.expr) -> str | None:
        """The module that a name, or the start of a dotted one, was always imported from."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        name = self.mangled(node.id)
        found = self.always(name, Way.IMPORT)
        modules = found.imports[name] if found is not None else set()
        return next(iter(modules)) if len(modules) == 1 else None

    def always(self, name: str, way: Way) -> LexicalScope | None:
        """The scope that a (mangled) name belongs to, if the name is bound only once, and in that way."""
        variable, owner = self.scopes.resolve(self.scope, name)
        if variable not in (VariableKind.LOCAL, VariableKind.CONSTANT) or owner.ways.get(name) != {way}:
            return None
        return None if owner is self.scopes.module and self.scopes.star_import else owner
