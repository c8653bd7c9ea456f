"""Modules that threads import while others run.

Modules that a run imports are imported before the runs that count, so that these find them loaded, as all but the first
run of a program in one process would. For a module that only defines things the time of its import makes no difference.
The code of another module runs between the steps of other threads, and may depend on the thread that imports it
(thread-local data, the thread's name): each run imports it anew, if it is instrumented
(:mod:`mazurka.program.python.primitives.imports`). So with modules that import each other. A program that looks at
`sys.modules` sees half made modules. This is also true of modules that are not instrumented. Of these, a module may
also iterate over containers that it has made, and add to them; modules of the standard library are known to do nothing
else, except for those in a table.

Cost: a look at the syntax tree of a module that is imported late, and at the objects of its names.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import enum
import importlib.util
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, SourceFileLoader
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.runtime.concurrency import has_concurrent_threads

#: Names of modules that were imported late in this process -> whether they do more than define things.
noticed: Final[dict[str, bool]] = {}

#: Functions that only make an object from their arguments, by the name under which their module is imported; ``x.*``
#: are all of a module.
_MAKING: Final = frozenset(
    """frozenset set dict list tuple object property staticmethod classmethod len int str float bool bytes
    bytearray range enumerate zip sorted min max sum slice complex isinstance issubclass abc.* attr.s attr.ib
    attr.attrs attr.attrib attrs.define attrs.field attrs.frozen attrs.mutable collections.*
    contextlib.contextmanager contextlib.asynccontextmanager contextlib.nullcontext contextlib.suppress
    contextvars.ContextVar dataclasses.dataclass dataclasses.field datetime.date datetime.datetime datetime.time
    datetime.timedelta datetime.timezone decimal.Decimal enum.* fractions.Fraction functools.cache
    functools.cached_property functools.lru_cache functools.partial functools.partialmethod
    functools.singledispatch functools.total_ordering functools.wraps itertools.chain itertools.count
    itertools.product logging.getLogger operator.attrgetter operator.itemgetter operator.methodcaller
    os.path.basename os.path.dirname os.path.join pathlib.Path pathlib.PurePath pathlib.PurePosixPath
    queue.LifoQueue queue.PriorityQueue queue.Queue queue.SimpleQueue re.compile re.escape string.Template
    struct.Struct textwrap.dedent threading.Barrier threading.BoundedSemaphore threading.Condition
    threading.Event threading.Lock threading.RLock threading.Semaphore threading.local types.MappingProxyType
    types.SimpleNamespace typing.* typing_extensions.* uuid.UUID""".split()
)

#: Modules whose metaclasses, and whose ``__init_subclass__``, register a class nowhere.
_OF_CLASSES: Final = frozenset("builtins abc enum typing typing_extensions".split())

#: Classes of objects that never change, if a name stands for them; tuples and sets may have other elements.
_FIXED: Final = (
    *(type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.GenericAlias, types.UnionType),
    *(int, float, complex, str, bytes, range, type(None), type(Ellipsis), type(NotImplemented), enum.Enum),
)
_COLLECTED: Final = (tuple, frozenset, type(sys.version_info))

#: Modules of the standard library that print, warn, or change how the interpreter works.
_ACTING: Final = frozenset(
    """this antigravity __hello__ __phello__ idlelib turtledemo turtle test lib2to3 site sitecustomize usercustomize
    readline rlcompleter aifc asynchat asyncore audioop cgi cgitb chunk crypt distutils imghdr imp mailcap msilib nis
    nntplib ossaudiodev pipes smtpd sndhdr spwd sunau telnetlib uu xdrlib""".split()
)

#: Modules that `warnings` imports to show a warning of a resource, when garbage is collected: only code that looks for
#: them by name notices.
_OF_WARNINGS: Final = frozenset({"tracemalloc", "_tracemalloc"})

#: Names of instrumented modules that act when a thread imports them, or that import each other -> their files. Each run
#: imports these anew.
again: Final[dict[str, str]] = {}

#: Name of an instrumented module that was imported late -> the names that it imports.
_imports: Final[dict[str, set[str]]] = {}

#: Modules that are not instrumented, were imported late, and have not been looked at yet -> their files.
_others: Final[dict[str, str | None]] = {}

#: Those of these functions that would call a ``key``.
_COMPARING: Final = frozenset({"sorted", "min", "max"})


@contextmanager
def notice(module: types.ModuleType, source: bytes) -> Iterator[None]:
    """A context in which a module of the program is executed."""
    late, name = is_late(), module.__name__
    if late:
        noticed[name] = True  # also if its execution fails
    yield
    if late:
        body = ast.parse(source).body
        noticed[name] = not only_defines(body, module)
        _imports[name] = _imported_by(body, module)


def found_again() -> dict[str, str]:
    """Instrumented modules to import anew in each run, and their files: those that did more than define things, and
    those that import each other, of which two threads may each have one and wait for the other."""
    acting = {name for name in _imports if noticed.get(name)}
    files = {name: getattr(sys.modules.get(name), "__file__", None) for name in acting}
    return {**again, **{name: file for name, file in files.items() if file is not None}}


def forget_again() -> None:
    """A run begins: let it import these modules anew."""
    for name in again:
        sys.modules.pop(name, None)
        parent, _, child = name.rpartition(".")
        if parent in sys.modules:
            vars(sys.modules[parent]).pop(child, None)


def _leads_to(name: str, goal: str, seen: set[str]) -> bool:
    fresh = _imports.get(name, set()) - seen
    seen |= fresh
    return goal in fresh or any(_leads_to(each, goal, seen) for each in fresh)


def _imported_by(body: list[ast.stmt], module: types.ModuleType) -> set[str]:
    """The dotted names that statements outside of functions may import."""
    found = set()
    for node in _outside_functions(body):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            dotted = "." * node.level + (node.module or "")
            origin = importlib.util.resolve_name(dotted, module.__package__ or "")
            found |= {origin, *(f"{origin}.{alias.name}" for alias in node.names)}
    return found


def is_late() -> bool:
    """Whether a thread that imports a module now does so while others run."""
    run = activation.active
    return run is not None and not run.solo and not run.is_recording and bool(has_concurrent_threads(run))


def notice_other(spec: ModuleSpec | None) -> None:
    """A module that is not instrumented is about to be imported."""
    if spec is None or not is_late():
        return
    root = spec.name.partition(".")[0]
    noticed[spec.name] = root not in sys.stdlib_module_names or root in _ACTING  # until its source has been looked at
    if noticed[spec.name]:
        _others[spec.name] = spec.origin if type(spec.loader) is SourceFileLoader else None


def all_noticed() -> dict[str, bool]:
    """:data:`noticed`, once the modules that are not instrumented have been looked at, too."""
    for name, file in [*_others.items()]:
        del _others[name]
        module = sys.modules.get(name)
        if file is not None and module is not None and name.partition(".")[0] not in _ACTING:
            with contextlib.suppress(OSError, SyntaxError, ValueError), open(file, "rb") as stream:
                noticed[name] = not only_defines(ast.parse(stream.read()).body, module, others=True)
    for name in _imports:
        noticed[name] = noticed[name] or _leads_to(name, name, set())
    return dict(noticed)


def acting(found: Iterable[tuple[str, bool]]) -> list[str]:
    """The modules among those imported late for which the time of the import makes a difference."""
    asked, by_name = not sites.asking_for_modules.isdisjoint(sites.instrumented), sites.asked_by_name()
    return [
        name
        for name, acts in found
        if acts and name not in again or name in by_name or (asked and name not in _OF_WARNINGS)
    ]


def only_defines(body: list[ast.stmt], module: types.ModuleType, others: bool = False) -> bool:
    """Whether the statements of a module, which has executed them, have only bound names of its own, to objects that
    they made, or to objects that never change. ``others``: the module may also have changed objects that it has
    made."""
    return _Definitions(module, body, others).are_all(body, vars(module))


class _Definitions:
    """Looks whether statements of one module only define things."""

    def __init__(self, module: types.ModuleType, body: list[ast.stmt], others: bool) -> None:
        self.module = module
        self.others = others  # whether it may change objects that it has made, which no other code has yet
        self.imported: dict[str, str] = {}  # name -> the dotted name that it is imported by
        self.annotates = sys.version_info < (3, 14)  # from 3.14 on annotations are evaluated when code reads them
        statements = [each for each in _outside_functions(body) if isinstance(each, (ast.Import, ast.ImportFrom))]
        for statement in statements:
            origin = f"{self._origin(statement)}." if isinstance(statement, ast.ImportFrom) else ""
            if origin == "__future__.":
                self.annotates = self.annotates and "annotations" not in [each.name for each in statement.names]
            for alias in statement.names:
                first = alias.name if alias.asname or origin else alias.name.partition(".")[0]
                self.imported[alias.asname or first] = origin + first

    def are_all(self, body: Iterable[ast.stmt], space: Any) -> bool:
        """Whether all statements of a block only define things; ``space`` has the names of the executed block, of the
        module or of a class."""
        return all(self._defines(each, space) for each in body)

    def _origin(self, statement: ast.ImportFrom) -> str:
        dotted = "." * statement.level + (statement.module or "")
        return importlib.util.resolve_name(dotted, self.module.__package__ or "")

    def _defines(self, node: ast.stmt, space: Any) -> bool:
        def makes(*values: ast.expr | None) -> bool:
            return all(value is None or self._makes(value, space) for value in values)

        if self.others and self._changes_own(node, space):
            return True
        match node:
            case ast.Pass() | ast.Import():
                return True
            case ast.ImportFrom():
                source = sys.modules.get(self._origin(node))
                return all(not _varies(source, alias.name) for alias in node.names)
            case ast.Expr(ast.Constant()):
                return True
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                args = node.args
                every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
                noted = [each.annotation for each in every if each is not None] if self.annotates else []
                returns = node.returns if self.annotates else None
                given = [*args.defaults, *args.kw_defaults, *noted, returns]
                return self._are_made(node.decorator_list, space) and makes(*given)
            case ast.ClassDef():
                given = [*node.bases, *(each.value for each in node.keywords)]
                made = space.get(node.name)
                return (
                    makes(*given)
                    and self._are_made(node.decorator_list, space)
                    and _is_plain(made)
                    and self.are_all(node.body, vars(made))
                )
            case ast.Assign():
                return all(map(_binds_names, node.targets)) and makes(node.value)
            case ast.AnnAssign():
                return _binds_names(node.target) and makes(node.annotation if self.annotates else None, node.value)
            case ast.AugAssign(ast.Name(name)):
                return self._is_own(name, space) and makes(node.value)
            case ast.If():
                return makes(node.test) and self.are_all([*node.body, *node.orelse], space)
            case ast.Try():
                blocks = [*node.body, *node.orelse, *node.finalbody]
                handled = [each for handler in node.handlers for each in handler.body]
                return makes(*(each.type for each in node.handlers)) and self.are_all([*blocks, *handled], space)
        return type(node).__name__ == "TypeAlias"  # from 3.12 on; its value is evaluated when code reads it

    def _changes_own(self, node: ast.stmt, space: Any) -> bool:
        """Whether a statement only changes a container that the module has made itself, or iterates over one."""
        match node:
            case ast.Assign([ast.Subscript(ast.Name(name), key)], value):
                return self._is_changeable(name) and self._makes(key, space) and self._makes(value, space)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)), given, [])):
                return self._is_changeable(name) and all(self._makes(each, space) for each in given)
            case ast.For(target, iterable):
                within = self.are_all([*node.body, *node.orelse], space)
                return _binds_names(target) and self._makes(iterable, space) and within
            case ast.Delete():
                return all(map(_binds_names, node.targets))
        return False

    def _are_made(self, decorators: Iterable[ast.expr], space: Any) -> bool:
        """Whether decorators only make an object from the function or class that they decorate."""
        for each in decorators:
            match each:
                case ast.Attribute(ast.Name(), "setter" | "getter" | "deleter") if (
                    type(space) is types.MappingProxyType
                ):
                    continue
                case ast.Call() if self._makes(each, space):
                    continue
                case ast.Name() | ast.Attribute() if self._is_making(each):
                    continue
            return False
        return True

    def _makes(self, value: ast.expr, space: Any) -> bool:
        """Whether an expression only reads values that never change, and makes an object from them."""
        match value:
            case ast.Constant() | ast.Lambda():
                return True
            case ast.Name():
                return self._is_own(value.id, space) or _is_fixed(self._object(value)) or self._is_making(value)
            case ast.Attribute():
                return _is_fixed(self._object(value)) or self._is_making(value)
            case ast.Call(ast.Name(name), _, [_, *_]) if name in _COMPARING:
                return False
            case ast.Call():
                given = [*value.args, *(each.value for each in value.keywords)]
                return self._is_making(value.func) and all(self._makes(each, space) for each in given)
            case ast.NamedExpr() | ast.Await() | ast.Yield() | ast.YieldFrom():
                return False
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self.others and self._makes_each(value, space)
        return all(self._makes(each, space) for each in ast.iter_child_nodes(value) if isinstance(each, ast.expr))

    def _makes_each(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, space: Any) -> bool:
        """Whether a comprehension iterates over objects that never change, or that belong to the module."""
        named = [each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
        inner = {**dict.fromkeys(named), **space}
        tests = [test for each in node.generators for test in (each.iter, *each.ifs)]
        made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return all(self._makes(each, inner) for each in (*tests, *made))

    def _is_changeable(self, name: str) -> bool:
        """Whether a name stands for a container that the module has made itself."""
        space = vars(self.module)
        return self._is_own(name, space) and type(space.get(name)) in (list, dict, set)

    def _is_own(self, name: str, space: Any) -> bool:
        return name not in self.imported and (name in space or name in vars(self.module))

    def _is_making(self, function: ast.expr) -> bool:
        """Whether a called function is one of those that only make an object."""
        dotted = self._dotted(function)
        return dotted in _MAKING or f"{dotted.rpartition('.')[0]}.*" in _MAKING

    def _dotted(self, node: ast.expr) -> str:
        """The dotted name of an imported or builtin object; "" for others."""
        match node:
            case ast.Name(name) if name in self.imported:
                return self.imported[name]
            case ast.Name(name) if name not in vars(self.module) and hasattr(builtins, name):
                return name
            case ast.Attribute(owner, name) if before := self._dotted(owner):
                return f"{before}.{name}"
        return ""

    def _object(self, node: ast.expr) -> Any:
        """The object of a name, or of an attribute of a module or class; a new object if that may change."""
        match node:
            case ast.Name(name):
                return vars(self.module).get(name, vars(builtins).get(name, node))
            case ast.Attribute(owner, name):
                of = self._object(owner)
                if type(of) is types.ModuleType and not _varies(of, name):
                    return vars(of).get(name, node)
                if isinstance(of, type) and name not in sites.stored:
                    return next((vars(each)[name] for each in of.__mro__ if name in vars(each)), node)
        return node


def _outside_functions(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.stmt):
                    yield from _outside_functions([child])
                elif isinstance(child, ast.ExceptHandler):
                    yield from _outside_functions(child.body)


def _binds_names(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) or (
        isinstance(target, (ast.Tuple, ast.List)) and all(map(_binds_names, target.elts))
    )


def _is_fixed(thing: Any) -> bool:
    return isinstance(thing, _FIXED) or (type(thing) in _COLLECTED and all(map(_is_fixed, thing)))


def _varies(module: types.ModuleType | None, name: str) -> bool:
    """Whether code that is instrumented gives a global of a module other values."""
    file = vars(module).get("__file__") if module is not None else None
    if name == "*":
        return True
    return file in sites.instrumented and (name in sites.variables(file) or name in sites.stored)


def _is_plain(made: Any) -> bool:
    """Whether an object is a class that was made without running code of the program."""
    if not isinstance(made, type) or type(made).__module__ not in _OF_CLASSES:
        return False
    bases = [each for each in made.__mro__[1:] if "__init_subclass__" in vars(each)]
    return all(each.__module__ in _OF_CLASSES for each in bases)


_LAZY_MODE: Final[Callable[[], str] | None] = getattr(sys, "get_lazy_imports", None)


def are_all_lazy() -> bool:
    """Whether every import happens at the first use of a name (Python 3.15, ``-X lazy_imports=all``): imports that are
    not marked as lazy in the source then make no step."""
    return _LAZY_MODE is not None and _LAZY_MODE() == "all"
