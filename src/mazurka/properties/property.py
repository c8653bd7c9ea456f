"""A property as it is stated: parameters, events with the operations of programs that they stand for, and a pattern.

Source: patent, "Generic Property Specification" (FIG. 9). Where the patent has AspectJ's pointcuts, here every
operation of a Python program is a call by a qualified name, or an access to an attribute: ``key in d`` calls
``dict.__contains__(d, key)``, a ``for`` loop over ``d`` calls ``dict.__iter__(d)`` and then ``__next__`` of the
iterator, ``with lock`` calls ``__enter__`` and ``__exit__``, ``d[key] = value`` calls
``dict.__setitem__(d, key, value)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from functools import cached_property
from textwrap import indent
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.patterns import Pattern, Stated


class PointcutKind(Enum):
    """The operation of a pointcut."""

    CALL = "call"
    GET = "get"
    SET = "set"
    DELETE = "delete"


class Moment(Enum):
    """The moment of the event: when the operation begins, when it has ended in any way, has returned, or has raised an
    exception."""

    BEFORE = "before"
    AFTER = "after"
    RETURNING = "returning"
    RAISING = "raising"


@dataclass(frozen=True, slots=True)
class Named:
    """An operand that is the object of this parameter."""

    parameter: str

    def __str__(self) -> str:
        return self.parameter


@dataclass(frozen=True, slots=True)
class Equal:
    """An operand that is equal to this constant: None, a bool, a number, a text or bytes."""

    value: object

    def __str__(self) -> str:
        return repr(self.value).replace("inf", "1e999") if isinstance(self.value, float) else repr(self.value)


@dataclass(frozen=True, slots=True)
class Anything:
    """Any operand; ``more``: any number of further ones."""

    more: bool = False

    def __str__(self) -> str:
        return "..." if self.more else "_"


@dataclass(frozen=True, slots=True)
class OfType:
    """An operand, or an exception, whose class, or one of its bases, has this qualified name, which may have
    wildcards."""

    name: str

    def __str__(self) -> str:
        return f"is {self.name}"


#: A condition on an operand.
Operand = Named | Equal | Anything | OfType


@dataclass(frozen=True, slots=True)
class Pointcut:
    """Operations of a program.

    ``names`` are alternatives, each a qualified name, in which ``*`` stands for any text: of a function
    (``json.loads``), of a method by a class that defines or inherits it (``dict.pop``; builtins need no module), or of
    an attribute by the class of its object (``shop.Account.balance``). ``operands`` are, for calls of methods, the
    object and the arguments; for GET and DELETE the object, for SET the object and the value, each followed by the name
    of the attribute, which may be left out; keywords are by name. None: any. ``result`` is the condition on the result
    if the moment is RETURNING, on the exception if it is RAISING.
    ``condition`` is a Python expression over the names that the operands bind, "" for none. Names that are no
    parameters of the event are there for the condition alone. ``str`` gives the text in the language of properties.
    """

    kind: PointcutKind
    names: tuple[str, ...]
    moment: Moment = Moment.BEFORE
    operands: tuple[Operand, ...] | None = None
    keywords: Mapping[str, Operand] = field(default_factory=dict, hash=False)
    result: Operand = field(default_factory=Anything)
    condition: str = ""

    def binds(self) -> tuple[str, ...]:
        """The names that a match gives objects, in the order of their first mention."""
        mentioned = (*(self.operands or ()), *self.keywords.values(), self.result)
        return tuple(dict.fromkeys(each.parameter for each in mentioned if isinstance(each, Named)))

    def free(self, parameters: Sequence[str]) -> tuple[str, ...]:
        """Those of an event's parameters that only the condition is on."""
        return tuple(name for name in parameters if name not in self.binds())

    def __str__(self) -> str:
        moment = "" if self.moment is Moment.BEFORE else f"{self.moment.value} "
        arguments = [*map(str, self.operands or ()), *(f"{name}={each}" for name, each in self.keywords.items())]
        operands = "" if self.operands is None else f"({', '.join(arguments)})"
        result = "" if self.result == Anything() else f" -> {self.result}"
        condition = f" if {self.condition}" if self.condition else ""
        return f"{moment}{self.kind.value} {_joined(self.names)}{operands}{result}{condition}"


@dataclass(frozen=True, slots=True)
class EventDeclaration:
    """An event: its name, the parameters that each of its pointcuts binds, and its pointcuts, any of which makes it
    happen."""

    name: str
    parameters: tuple[str, ...]
    pointcuts: tuple[Pointcut, ...]

    def __str__(self) -> str:
        parameters = f"({', '.join(self.parameters)})" if self.parameters else ""
        pointcuts = "\n    | ".join(map(str, self.pointcuts))
        return f"event {self.name}{parameters}: {pointcuts}"


def described(description: str, bound: Mapping[str, str]) -> str:
    """A description with the names of objects and threads in place of ``{parameter}`` and ``{attribute}``."""
    for name, thing in bound.items():
        description = description.replace(f"{{{name}}}", thing)
    return description


@dataclass(frozen=True)
class Property:
    """See the module. ``path`` is the file that states it ("" for one that Python code builds). ``description`` is a
    sentence about a violation, in which ``{name}`` stands for a parameter's object or a thread. ``distinct`` are
    parameters that stand for objects of which no two are the same. ``str`` gives the text of a ``.mzp`` file that
    states it."""

    name: str
    parameters: tuple[str, ...]
    events: tuple[EventDeclaration, ...]
    pattern: Pattern
    description: str = ""
    path: str = field(default="", compare=False)
    distinct: tuple[str, ...] = ()

    def __str__(self) -> str:
        parameters = f"({', '.join(self.parameters)})" if self.parameters else ""
        description = [_quoted(self.description)] if self.description else []
        distinct = f"distinct: {', '.join(self.distinct)}" if self.distinct else ""
        blocks = ["\n".join(description), distinct, "\n".join(map(str, self.events)), f"pattern: {self.pattern}"]
        body = indent("\n\n".join(filter(None, blocks)), "    ")
        return f"property {self.name}{parameters}:\n{body}\n"

    @cached_property
    def stated(self) -> Stated:
        """The property, as far as traces show it."""
        before = (each.name for each in self.events if all(one.moment is Moment.BEFORE for one in each.pointcuts))
        events = {each.name: each.parameters for each in self.events}
        free = (
            (each.name, name)
            for each in self.events
            for pointcut in each.pointcuts
            for name in pointcut.free(each.parameters)
        )
        return Stated(self.name, events, self.pattern, frozenset(before), frozenset(free), self.distinct)


def _joined(names: Sequence[str]) -> str:
    """Qualified names as one with alternatives in braces."""
    owners = list(dict.fromkeys(name.rpartition(".")[0] for name in names))
    members = list(dict.fromkeys(name.rpartition(".")[2] for name in names))
    if all(owners) and list(names) == [f"{owner}.{member}" for owner in owners for member in members]:
        return f"{_braced(owners)}.{_braced(members)}"
    return _braced(names)


def _braced(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"


def _quoted(text: str) -> str:
    """A text as a literal of Python, in double quotes."""
    literal = repr(text)
    body = literal[1:-1]
    return literal if literal[0] == '"' else '"' + body.replace("\\'", "'").replace('"', '\\"') + '"'


__all__: Final = [
    "Anything",
    "Equal",
    "EventDeclaration",
    "Moment",
    "Named",
    "OfType",
    "Operand",
    "Pointcut",
    "PointcutKind",
    "Property",
]
