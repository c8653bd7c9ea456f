"""The minimal words of a pattern: those that contain no other word of it as consecutive events.

In an execution whose events have a word that is not minimal, the word that it contains is a violation by itself, and
monitors report that one. ``open? close close`` has one minimal word, ``close close``.

Cost: some milliseconds for a pattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import Final

from mazurka.properties.automaton import Automaton, Symbol
from mazurka.trace.patterns import (
    Alternation,
    Complement,
    Concatenation,
    Intersection,
    Letter,
    Parallel,
    Pattern,
    Repetition,
    endings,
    letters,
)

#: Events that more letters name have more alphabets than are tried.
_MOST_LETTERS: Final = 4


def minimal_endings(pattern: Pattern) -> Sequence[tuple[Pattern, Parallel | None]]:
    """As :func:`~mazurka.trace.patterns.endings`, with the minimal words of each alternative: none contains a word of
    any alternative without ``||``. Of those with ``||``, which two events at once follow, none ends with another
    one."""
    known = list(endings(pattern))
    anything = Repetition(Alternation(tuple(dict.fromkeys(letters(pattern)))), 0, True)
    something = Concatenation((anything.part, anything))
    words = Alternation(tuple([start for start, pair in known if pair is None]))
    longer = Alternation((Concatenation((something, words, anything)), Concatenation((anything, words, something))))
    alphabet = alphabet_of(pattern)
    return [
        (_without(start, longer if pair is None else Concatenation((something, start)), alphabet), pair)
        for start, pair in known
    ]


def _without(pattern: Pattern, others: Pattern, alphabet: Sequence[Symbol]) -> Pattern:
    """The words of a pattern but for others; the pattern itself if it has none of these."""
    both = Automaton(Intersection((pattern, others)), alphabet)
    if alphabet and not both.is_live(both.start):
        return pattern
    return Intersection((pattern, Complement(others)))


def alphabet_of(pattern: Pattern) -> Sequence[Symbol]:
    """All symbols that an event may be; none if they are too many."""
    by_event: dict[str, list[Letter]] = {}
    for letter in dict.fromkeys(letters(pattern)):
        by_event.setdefault(letter.event, []).append(letter)
    if any(len(each) > _MOST_LETTERS for each in by_event.values()):
        return []
    return [frozenset(each) for own in by_event.values() for each in _subsets(own)]


def _subsets(own: Sequence[Letter]) -> Iterator[tuple[Letter, ...]]:
    """The letters that may name one event: an event is of one thread."""
    subsets = chain.from_iterable(combinations(own, size) for size in range(1, len(own) + 1))
    return (each for each in subsets if len({letter.thread for letter in each if letter.thread}) < 2)
