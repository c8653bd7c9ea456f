"""Patterns in the form that their text has: a concatenation has no concatenations in it, and so for ``|`` and ``&``.

Each pattern in this form is the one that its text is read as.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mazurka.trace.patterns import Alternation, Complement, Concatenation, Intersection, Pattern, Repetition


def concatenation(parts: Iterable[Pattern]) -> Pattern:
    """One after the other."""
    return _single(Concatenation(tuple(_flat(Concatenation, parts))))


def alternation(parts: Iterable[Pattern]) -> Pattern:
    """One of them."""
    return _single(Alternation(tuple(_flat(Alternation, parts))))


def intersection(parts: Iterable[Pattern]) -> Pattern:
    """A word of each."""
    return _single(Intersection(tuple(_flat(Intersection, parts))))


def repetition(part: Pattern, least: int, often: bool) -> Pattern:
    """``?`` (0, False), ``*`` (0, True), ``+`` (1, True)."""
    return part if least and not often else Repetition(part, least, often)


def normal(pattern: Pattern) -> Pattern:
    """Any pattern in this form."""
    match pattern:
        case Concatenation(parts):
            return concatenation(map(normal, parts))
        case Alternation(parts):
            return alternation(map(normal, parts))
        case Intersection(parts):
            return intersection(map(normal, parts))
        case Repetition(part, least, often):
            return repetition(normal(part), least, often)
        case Complement(part):
            return Complement(normal(part))
        case _:
            return pattern


def _flat(kind: type[Concatenation | Alternation | Intersection], parts: Iterable[Pattern]) -> Iterator[Pattern]:
    for part in parts:
        if isinstance(part, Concatenation | Alternation | Intersection) and isinstance(part, kind):
            yield from part.parts
        else:
            yield part


def _single(made: Concatenation | Alternation | Intersection) -> Pattern:
    return made.parts[0] if len(made.parts) == 1 else made
