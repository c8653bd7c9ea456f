"""Patterns over property events: regular expressions with thread attributes and atomic regions (patent, "Generic
Property Specification", FIG. 9), and properties as far as traces show them.

A *property* declares events, each with parameters (``check(m, key)``), and a pattern over them. A *binding* gives each
parameter an object, each thread attribute a thread (different attributes different threads) or none, and each region
one instance (a begin and the end that belongs to it) or none (:mod:`mazurka.properties.bindings` says which). Under a
binding the pattern *names* the events whose parameters are bound to the same objects, and one of whose letters agrees
with the thread and the region. The *word* of an execution under a binding is the sequence of the events that the
pattern names; other events are left out.

The property is violated in an execution if, under some binding, a factor of the word (consecutive events of it) is in
the language of the pattern. A pattern ``!(...)`` is different (FIG. 19): it states a protocol, and is violated if the
word, from its beginning, is no prefix of any word in the language of the pattern behind the ``!``. Deeper ``!`` is the
complement.

``a || b`` are two events that are the next of two different threads, both enabled (FIG. 13). It can only come last.

Plain data, which says nothing of how it is decided: :mod:`mazurka.witness.words` and
:mod:`mazurka.properties.automaton` do so in two ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import TypeAlias

from mazurka.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Letter:
    """An event, with its attributes: ``thread`` ("" for any), and the regions that begin and end with it."""

    event: str
    thread: str = ""
    begins: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    def __str__(self) -> str:
        attributes = [*filter(None, (self.thread,)), *(f"<{r}" for r in self.begins), *(f">{r}" for r in self.ends)]
        return f"{self.event}({', '.join(attributes)})" if attributes else self.event


@dataclass(frozen=True, slots=True)
class Concatenation:
    """One after the other; without parts the empty word."""

    parts: tuple[Pattern, ...]

    def __str__(self) -> str:
        return " ".join(_in(part, Alternation, Intersection, Parallel) for part in self.parts) or "()"


@dataclass(frozen=True, slots=True)
class Alternation:
    """One of them (``|``)."""

    parts: tuple[Pattern, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.parts))


@dataclass(frozen=True, slots=True)
class Intersection:
    """A word of each of them (``&``)."""

    parts: tuple[Pattern, ...]

    def __str__(self) -> str:
        return " & ".join(_in(part, Alternation) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Complement:
    """Any other word (``!``)."""

    part: Pattern

    def __str__(self) -> str:
        return f"!{_in(self.part, Alternation, Intersection, Parallel, Concatenation, Repetition)}"


@dataclass(frozen=True, slots=True)
class Repetition:
    """At least ``least`` times (0 or 1), at most once or, if ``often``, any number of times: ``?``, ``*``, ``+``."""

    part: Pattern
    least: int
    often: bool

    def __str__(self) -> str:
        mark = ("*" if self.often else "?") if self.least == 0 else "+"
        return f"{_in(self.part, Alternation, Intersection, Parallel, Concatenation, Repetition, Complement)}{mark}"


@dataclass(frozen=True, slots=True)
class Parallel:
    """Two events at once (``||``)."""

    first: Letter
    second: Letter

    def __str__(self) -> str:
        return f"{self.first} || {self.second}"


Pattern: TypeAlias = Letter | Concatenation | Alternation | Intersection | Complement | Repetition | Parallel


def _in(part: Pattern, *kinds: type) -> str:
    """A part in words, in parentheses if it is of one of these kinds."""
    return f"({part})" if isinstance(part, kinds) else str(part)


def letters(pattern: Pattern) -> Iterator[Letter]:
    """The letters of a pattern, from left to right."""
    match pattern:
        case Letter():
            yield pattern
        case Parallel(first, second):
            yield from (first, second)
        case Complement(part) | Repetition(part):
            yield from letters(part)
        case Concatenation(parts) | Alternation(parts) | Intersection(parts):
            for part in parts:
                yield from letters(part)


@dataclass(frozen=True, slots=True)
class Stated:
    """A property, as far as traces show it: its name, the parameters of each event by the event's name, and the
    pattern. ``before`` are the events that take place when an operation begins, whatever it gives: a read that is one
    need not have the value of the trace. ``free`` are the parameters of events that conditions are on, each with its
    event: these do not bind them (:mod:`mazurka.trace.conditions_on_objects`). ``distinct`` are parameters that are not
    bound to the same object."""

    name: str
    events: Mapping[str, tuple[str, ...]] = field(hash=False)
    pattern: Pattern
    before: frozenset[str] = frozenset()
    free: frozenset[tuple[str, str]] = frozenset()
    distinct: tuple[str, ...] = ()

    def are_distinct(self, objects: Mapping[str, str]) -> bool:
        """Whether parameters that have to be bound to different objects are."""
        own = [objects[p] for p in self.distinct if p in objects]
        return len(set(own)) == len(own)

    def bound(self, event: str) -> tuple[str, ...]:
        """The parameters that an event binds."""
        return tuple(p for p in self.events[event] if (event, p) not in self.free)


def endings(pattern: Pattern) -> Iterator[tuple[Pattern, Parallel | None]]:
    """The pattern as alternatives, each a pattern without ``||``, and the two events at once that follow it, if any.

    Raises ValueError for ``||`` in another place."""
    match pattern:
        case Parallel():
            yield Concatenation(()), pattern
        case Alternation(parts):
            for part in parts:
                yield from endings(part)
        case Concatenation((*before, last)):
            _reject_parallel(before)
            for start, pair in endings(last):
                yield Concatenation((*before, start)), pair
        case Letter() | Complement() | Intersection() | Repetition() | Concatenation():
            _reject_parallel([pattern])
            yield pattern, None


def _reject_parallel(patterns: Iterable[Pattern]) -> None:
    for pattern in patterns:
        match pattern:
            case Parallel():
                raise ValueError(f"{pattern} is not at the end of the pattern")
            case Complement(part) | Repetition(part):
                _reject_parallel([part])
            case Concatenation(parts) | Alternation(parts) | Intersection(parts):
                _reject_parallel(parts)
            case Letter():
                pass


def protocol(pattern: Pattern) -> Pattern | None:
    """The pattern of the protocol that a property states: that behind a ``!`` at the top; None if there is none."""
    return pattern.part if isinstance(pattern, Complement) else None


def check_form(pattern: Pattern) -> None:
    """Raise ValueError if ``||`` is not at the end, or a protocol contains ``!``, ``&`` or ``||``."""
    stated = protocol(pattern)
    if stated is None:
        for _ in endings(pattern):
            pass
        return
    _reject_parallel([stated])
    stack = [stated]
    while stack:
        match stack.pop():
            case Complement() | Intersection() as part:
                raise ValueError(f"{part} is within a protocol, which has no complement or intersection")
            case Repetition(part):
                stack.append(part)
            case Concatenation(parts) | Alternation(parts):
                stack += parts
            case Letter() | Parallel():
                pass
