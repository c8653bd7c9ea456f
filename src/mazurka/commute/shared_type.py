"""Types of shared objects: a class defines the executable model of a type, and when its methods commute.

::

    class Cell(SharedType):
        '''A place for a number.'''

        initials = (0,)
        scope = {"v": (0, 1, 2)}

        def read(self, s: int) -> Step:
            return s, s

        def write(self, s: int, v: int) -> Step:
            return v, None

        fine = '''
            read  || read  : True
            read  || write : r1 == v2
            write || write : v1 == v2
        '''

A method takes the abstract state and the arguments, and returns the next state and the result, or :data:`BLOCKED` if it
would have to wait; a result that is an exception is a :class:`~mazurka.trace.literals.Raised`. States are hashable, and
two are equal iff no method distinguishes them. A pair of methods without a condition never commutes.

``scope`` has the arguments that the exhaustive check tries for each parameter; :meth:`SharedType.bounded` says from
which states it goes on (by default all that methods can reach from the ``initials``).
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias
from weakref import WeakKeyDictionary

from mazurka.commute.formula import State
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.literals import Raised, Value


class _Blocked(Enum):
    BLOCKED = "blocked"


#: The result of a method that can't go on in this state.
BLOCKED: Final = _Blocked.BLOCKED

#: The effect of a method on a state: the next one, and its result.
Step: TypeAlias = "tuple[State, Value] | _Blocked"


class SharedType:
    """See the module. The name of the type is ``name``, or the name of the subclass in lower case."""

    name: ClassVar[str] = ""
    initials: ClassVar[Sequence[State]] = ()
    scope: ClassVar[Mapping[str, Sequence[Value]]] = {}
    functions: ClassVar[Mapping[str, Callable[..., Any]]] = {}
    fine: ClassVar[str] = ""
    coarse: ClassVar[str] = ""

    def bounded(self, s: State) -> bool:
        """Whether the exhaustive check goes on from this state."""
        return True


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a type: its name, the names of its parameters, and its effect."""

    name: str
    parameters: tuple[str, ...]
    step: Callable[..., Step]


#: The variants of a specification: as exact as possible, and without conditions on states.
VARIANTS: Final = ("fine", "coarse")


def name_of(kind: type[SharedType]) -> str:
    """The name of a type."""
    return kind.name or kind.__name__.lower()


#: A cache by class, since computing signatures takes time.
_methods: Final[WeakKeyDictionary[type, Mapping[str, Method]]] = WeakKeyDictionary()


def methods_of(kind: type[SharedType]) -> Mapping[str, Method]:
    """The methods of a type, in the order of their definition, inherited ones first."""
    if kind not in _methods:
        _methods[kind] = _methods_of(kind)
    return _methods[kind]


def _methods_of(kind: type[SharedType]) -> Mapping[str, Method]:
    made = kind()
    found: dict[str, Method] = {}
    for base in reversed(kind.__mro__):
        for name, value in vars(base).items():
            if inspect.isfunction(value) and not name.startswith("_") and not hasattr(SharedType, name):
                parameters = tuple(inspect.signature(value).parameters)[2:]
                found[name] = Method(name, parameters, getattr(made, name))
    return found


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a type's definition, for errors: a file (or the class's name), its line, and the lines at which its
    tables begin, or the places of all their lines."""

    file: str
    line: int = 0
    tables: Mapping[str, int] = field(default_factory=dict)
    lines: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    def of_line(self, variant: str, offset: int) -> str:
        """The place of a line of a table; lines are counted from 0."""
        if variant in self.lines:
            return self.lines[variant][offset]
        if variant in self.tables:
            return f"{self.file}:{self.tables[variant] + offset}"
        return f"{self.file}.{variant}, line {offset}"


def place_of(kind: type[SharedType]) -> Place:
    """The place of a class in its source file; its name alone if the source is not found. A class made from a file in
    TOML has a ``place`` itself."""
    if isinstance(known := vars(kind).get("place"), Place):
        return known
    try:
        file = inspect.getfile(kind)
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    except (OSError, TypeError, SyntaxError, ValueError):
        return Place(kind.__qualname__)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
            assigned = [each for each in node.body if isinstance(each, ast.Assign)]
            tables = {
                name.id: each.value.lineno for each in assigned for name in each.targets if isinstance(name, ast.Name)
            }
            return Place(file, node.lineno, tables)
    return Place(kind.__qualname__)


class _Nothing(Enum):
    NOTHING = "nothing"


#: The result of functions for a missing item: equal to no value of a program.
NOTHING: Final = _Nothing.NOTHING


def _at(items: Any, index: int) -> Any:
    return items[index] if -len(items) <= index < len(items) else NOTHING


def _get(pairs: Any, key: Any) -> Any:
    return next((value for each, value in pairs if each == key), NOTHING)


#: The functions that conditions of all types may call. All but ``min`` and ``max`` are total, so that conditions have a
#: value in every state.
FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "len": len,
    "abs": abs,
    "min": min,
    "max": max,
    "at": _at,  # the item at an index of a sequence
    "first": lambda items: _at(items, 0),
    "last": lambda items: _at(items, -1),
    "get": _get,  # the value of a key among pairs
    "missing": lambda item: item is NOTHING,  # whether one of the functions above found no item
    "raised": lambda result: isinstance(result, Raised),
}
