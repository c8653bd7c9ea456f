"""Needless reads, found in the source of the instrumented modules.

The graph is a system dependence graph (dissertation of S. Huang, ch. 4.1), reversed and kept small: a node for each
local variable and for each *field*, an edge for each flow of a value between them. A field is all attributes and
globals of one name, in any class or module: so no analysis of pointers is needed, and calls need no edges of their own,
since only plain stores carry a value on. Everything else observes it: a branch, a call, an argument, a ``return``, a
key, a receiver, an ``assert``, a loop that waits. Hence a read is *needless* if no path from it leads to an
observation; and as its value decides nothing, no step can be control dependent on it either.

It is not enough that a value is not observed: reading it, and computations with it, must not be able to fail or to run
code. So a field counts only if

- every store to it in any module is a plain one whose value is surely an ``int``: constants, ``+ - *``, signs and
  comparisons of such. This is inferred for all fields and variables at once, by a greatest fixed point;
- objects it is stored on are of classes known in full (known_classes.py), as ``self`` or as a variable bound once, to a
  new object of the class;
- nothing else has its name: no method, no name in a string, a pattern, an import, an annotation;
- it has a value: the module binds it before any code of the program runs, the first statements of every ``__init__``
  do, or a run shows that a store came before (see ``Needless.stores``).

Where modules can reach fields in ways that the source does not show (closed_world.py), no read is needless.

Cost: a few walks over each module, some milliseconds for a hundred lines.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.python.analysis.closed_world import BLIND, Tracked, is_open
from mazurka.program.python.analysis.flows import OBSERVED, Flows, Node, Read, SourcePlace
from mazurka.program.python.instrument import sites

_NOTHING: Final[frozenset[Node]] = frozenset()


@dataclass(frozen=True, slots=True)
class ModuleSource:
    """The text of an instrumented module; ``package`` is the package at which its relative imports start."""

    tree: ast.Module
    package: str = ""


@dataclass(frozen=True, slots=True)
class Needless:
    """A read that nothing depends on, if one of the ``stores`` came before, or the location has a value from the start
    (``there``).

    ``stores`` are all stores of the program to the field.
    """

    stores: frozenset[int]
    there: bool


def needless(
    modules: Mapping[str, ModuleSource],
    numbers: Mapping[str, Sequence[int]],
    tracked: Tracked = frozenset().__contains__,
    *,
    final: bool,
) -> dict[int, Needless]:
    """The needless reads of these modules, by site; ``numbers`` has the sites of each module.

    With ``final`` a field that is stored is observed: a test of the final state may read it.
    """
    if any(is_open(module.tree, module.package, tracked) for module in modules.values()):
        return {}
    flows = Flows()
    for file, module in modules.items():
        flows.read_module(file, module.tree)
    if flows.loops_at_top:
        return {}
    flows.settle()
    at_top = {(file, name) for file, module in modules.items() for name in _bound_first(module.tree)}
    return _Judgement(flows, _unambiguous(modules, numbers), at_top).needless(final)


def _unambiguous(modules: Mapping[str, ModuleSource], numbers: Mapping[str, Sequence[int]]) -> dict[SourcePlace, int]:
    """The sites of accesses by place, where a place has only one."""
    found: dict[SourcePlace, int] = {}
    several = set()
    for number in (number for file in modules for number in numbers[file]):
        site = sites.site(number)
        if site is None or site.kind not in ("read", "store", "global"):
            continue
        place = SourcePlace(site.file, site.line, site.column, site.end_line, site.end_column, site.kind, site.name)
        if place in found:
            several.add(place)
        found[place] = number
    return {place: number for place, number in found.items() if place not in several}


class _Judgement:
    """Decides for each read whether it is needless."""

    def __init__(self, flows: Flows, numbers: Mapping[SourcePlace, int], at_top: set[tuple[str, str]]) -> None:
        self.flows = flows
        self.numbers = numbers
        self.at_top = at_top
        self.reached: dict[Node, frozenset[Node]] = {}
        self.stores: dict[str, set[int]] = {}
        self.globals: set[str] = set()
        for store in flows.stores:
            self.stores.setdefault(store.place.name, set()).add(numbers.get(store.place, 0))
            if store.receiver is None:
                self.globals.add(store.place.name)

    def needless(self, final: bool) -> dict[int, Needless]:
        observed = self._observed(final)
        needed = {read.place for read in self.flows.reads if self._reach(read.sink) & observed}
        found = {}
        for read in self.flows.reads:
            name = read.place.name
            if read.place in needed or read.place not in self.numbers or ("field", name) not in self.flows.ints:
                continue
            found[self.numbers[read.place]] = Needless(frozenset(self.stores[name]), self._is_there(read))
        return found

    def _is_there(self, read: Read) -> bool:
        if read.place.kind == "global":
            return (read.place.file, read.place.name) in self.at_top
        return read.place.name not in self.flows.late | self.globals

    def _reach(self, sink: Node | None) -> frozenset[Node]:
        """The nodes that a value reaches which flows to ``sink``, by way of local variables."""
        if sink is None:
            return _NOTHING
        if sink not in self.reached:
            reached, waiting = {sink}, [sink]
            while waiting:
                for following in self.flows.edges.get(waiting.pop(), ()):
                    if following not in reached:
                        reached.add(following)
                        waiting.append(following)
            self.reached[sink] = frozenset(reached)
        return self.reached[sink]

    def _observed(self, final: bool) -> set[Node]:
        """``OBSERVED`` and the fields whose values flow there."""
        stored = {("field", store.place.name) for store in self.flows.stores}
        observed: set[Node] = {OBSERVED, *self.flows.watched, *(stored if final else stored - self.flows.ints)}
        ways = [(("field", read.place.name), self._reach(read.sink)) for read in self.flows.reads]
        grew = True
        while grew:
            grew = False
            for field, reached in ways:
                if field not in observed and reached & observed:
                    observed.add(field)
                    grew = True
        return observed


def _bound_first(tree: ast.Module) -> Iterator[str]:
    """The globals that a module binds before any code of the program can run, in any thread."""
    blind: set[str] = set()  # names of modules that run no code of the program
    for statement in tree.body:
        match statement:
            case ast.Import(names=names) if all(alias.name in BLIND for alias in names):
                blind.update(alias.asname or alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=0) if module in BLIND:
                continue
            case ast.ClassDef(decorator_list=[], bases=[], keywords=[], body=body) if all(map(_is_quiet, body)):
                continue
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant()):
                yield name
            case ast.Assign(
                targets=[ast.Name()],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=module)), args=[], keywords=[]),
            ) if module in blind:
                continue  # threading.Lock()
            case _ if not _is_quiet(statement):
                return


def _is_quiet(statement: ast.stmt) -> bool:
    """Whether a statement runs no code of the program."""
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Assign(targets=[ast.Name()], value=ast.Constant()):
            return True
        case ast.FunctionDef(decorator_list=[], args=arguments, returns=returns):
            said = [*ast.walk(arguments), *(ast.walk(returns) if returns is not None else ())]
            return not any(isinstance(each, ast.Call | ast.Attribute | ast.Subscript | ast.BinOp) for each in said)
    return False


class SourceDependence:
    """The analysis of all modules instrumented so far; implements the explorers' ``Dependence``."""

    def __init__(self, *, final: bool) -> None:
        self.final = final
        self._version = ""
        self._found: dict[int, Needless] = {}

    def version(self) -> str:
        """A name for the set of instrumented modules."""
        return sites.extent()

    def needless(self) -> Mapping[int, Needless]:
        if self._version != self.version():
            self._version = self.version()
            self._found = self._read()
        return self._found

    def _read(self) -> dict[int, Needless]:
        modules = {}
        packages = _packages()
        for file in sorted(sites.instrumented):
            try:
                modules[file] = ModuleSource(ast.parse(Path(file).read_bytes(), file), packages.get(file, ""))
            except (OSError, SyntaxError, ValueError):
                return {}  # all values in there may be observed
        return needless(modules, {file: sites.numbers(file) for file in modules}, _is_tracked, final=self.final)


def _packages() -> dict[str, str]:
    """File -> the package of the module loaded from it."""
    found = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str):
            found[file] = name if getattr(module, "__path__", None) is not None else name.rpartition(".")[0]
    return found


def _is_tracked(name: str) -> bool:
    """Whether a module of that name is instrumented, or there is no such module, but an object of that name in an
    instrumented one."""
    module = sys.modules.get(name)
    if module is None:
        above = name.rpartition(".")[0]
        return above in sys.modules and getattr(sys.modules[above], "__file__", None) in sites.instrumented
    return getattr(module, "__file__", None) in sites.instrumented
