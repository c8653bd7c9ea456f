"""Holds one execution to a property while it goes on: the words of its bindings, event by event.

Cost: for each event that the pattern can end with, the length of the words of the bindings that name it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from mazurka.properties.automaton import Automaton, Symbol
from mazurka.properties.bindings import Binding, Bindings, NamedOccurrence, Occurrence
from mazurka.trace.patterns import Pattern, Stated, endings, letters, protocol


class Match(NamedTuple):
    """A violation: the events that make up the word, in their order, and the binding."""

    events: tuple[Occurrence, ...]
    binding: Binding


class Monitor:
    """See the module. ``see`` takes in the events in the order of the execution.

    Alternatives of the pattern that end with ``||`` are left out: an order of events does not show that two are next at
    once.
    """

    def __init__(self, stated: Stated) -> None:
        self.stated = stated
        self._bindings = Bindings(stated)
        self._number = 0
        followed = protocol(stated.pattern)
        self._protocol = None if followed is None else Automaton(followed, single_letters(followed))
        words = () if followed is not None else endings(stated.pattern)
        self._words = [Automaton(start, ()) for start, pair in words if pair is None]

    def see(self, thread: Hashable, event: str, objects: tuple[str, ...], with_last: bool = False) -> Match | None:
        """An event takes place; returns the violation that it completes, if it does. ``with_last``: only one in which
        it follows the event that was seen before it."""
        occurrence = Occurrence(self._number, thread, event, objects)
        self._number += 1
        if not self._bindings.add(occurrence):
            return None
        for binding, word in self._bindings.bindings(with_=occurrence):
            ends = next(place for place, named in enumerate(word) if named.occurrence == occurrence) + 1
            if with_last and (ends < 2 or word[ends - 2].occurrence.number != occurrence.number - 1):
                continue
            found = self._match(word[:ends])
            if found is not None:
                return Match(tuple(each.occurrence for each in found), binding)
        return None

    def _match(self, word: Sequence[NamedOccurrence]) -> Sequence[NamedOccurrence] | None:
        """The shortest end of a word that is a violation; for a protocol the whole word, if it is one."""
        symbols = [each.symbol for each in word]
        if self._protocol is not None:
            return word if is_refused(self._protocol, symbols) else None
        lengths = [length for each in self._words if (length := shortest_end(each, symbols)) is not None]
        return word[len(word) - min(lengths) :] if lengths else None


def shortest_end(automaton: Automaton, symbols: Sequence[Symbol]) -> int | None:
    """The length of the shortest end of a word that is in the language of an automaton, and not empty; None if there is
    none."""
    since = {automaton.start: 0}  # by state the largest start of a factor that leads there
    for place, symbol in enumerate(symbols):
        since[automaton.start] = place
        after: dict[tuple[object, ...], int] = {}
        for state, begin in since.items():
            then = automaton.after(state, symbol)
            after[then] = max(begin, after.get(then, -1))
        since = after
    found = [len(symbols) - begin for state, begin in since.items() if automaton.accepts(state)]
    return min(found, default=None)


def is_refused(automaton: Automaton, symbols: Sequence[Symbol]) -> bool:
    """Whether no word of a protocol begins with these symbols. Its alphabet of single letters suffices to decide that:
    without complement and intersection a letter more in a symbol excludes no word."""
    state = automaton.start
    for symbol in symbols:
        state = automaton.after(state, symbol)
    return not automaton.is_live(state)


def single_letters(pattern: Pattern) -> frozenset[Symbol]:
    """A symbol for each letter of a pattern."""
    return frozenset(frozenset({letter}) for letter in letters(pattern))
