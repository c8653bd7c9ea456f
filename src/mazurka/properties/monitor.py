"""Holds executions to a property while they go on: the words of their bindings, event by event.

Whether an event completes a violation depends on the events before it and on nothing else, and a search runs many
executions that begin with the same events. So the answers are kept, in a tree of the sequences of events so far.

Cost: for each event that the pattern can end with, the length of the words of the bindings that name it; for events
that an earlier execution has begun with, a look-up.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

from mazurka.properties.automaton import Automaton, State, Symbol
from mazurka.properties.bindings import Binding, Bindings, NamedOccurrence, Occurrence
from mazurka.properties.measuring import Measure
from mazurka.properties.reached import Reached
from mazurka.trace.patterns import (
    Alternation,
    Complement,
    Concatenation,
    Intersection,
    Letter,
    Parallel,
    Pattern,
    Repetition,
    Stated,
    endings,
    letters,
    protocol,
)


class Match(NamedTuple):
    """A violation: the events that make up the word, in their order, and the binding."""

    events: tuple[Occurrence, ...]
    binding: Binding


#: The most sequences of events whose answers are kept.
_KEPT: Final = 200_000

#: An event as far as monitors see it: its thread, name and objects, and whether it has to follow the one before it.
_Seen = tuple[Hashable, str, tuple[str, ...], bool]


class _Known:
    """A sequence of events: the violation that its last event completes, and the longer ones that have occurred."""

    __slots__ = ("longer", "match", "reached")

    def __init__(self, match: Match | None) -> None:
        self.match = match
        self.reached: Reached | None = None  # of the whole execution, if one has ended here
        self.longer: dict[_Seen, _Known] = {}


class Monitor:
    """See the module. ``see`` takes in the events in the order of the execution, ``restart`` begins another one, and
    ``copy`` gives a monitor that goes on from here by itself.

    Alternatives of the pattern that end with ``||`` are left out: an order of events does not show that two are next at
    once.
    """

    def __init__(self, stated: Stated) -> None:
        self.stated = stated
        self._root, self._kept = _Known(None), 0
        self.is_undecided = False  # whether a condition on objects could not be decided, in some execution
        self.restart()
        followed = protocol(stated.pattern)
        self._protocol = None if followed is None else Automaton(followed, single_letters(followed))
        words = () if followed is not None else endings(stated.pattern)
        self._words = [Automaton(start, ()) for start, pair in words if pair is None]
        self._last = _last_events(stated.pattern, frozenset(each.event for each in letters(stated.pattern)))

    def restart(self) -> None:
        """Another execution begins."""
        self._known = self._root
        self._events: list[Occurrence] = []
        self._bindings: Bindings | None = None  # of the first ``_added`` events
        self._added = 0

    def copy(self) -> Monitor:
        """A monitor that has seen the same events."""
        other = copy.copy(self)
        other._events, other._bindings, other._added = list(self._events), None, 0
        return other

    def see(self, thread: Hashable, event: str, objects: tuple[str, ...], with_last: bool = False) -> Match | None:
        """An event takes place; returns the violation that it completes, if it does. ``with_last``: only one in which
        it follows the event that was seen before it."""
        occurrence = Occurrence(len(self._events), thread, event, objects)
        self._events.append(occurrence)
        seen = (thread, event, objects, with_last)
        known = self._known.longer.get(seen)
        if known is None:
            if self._kept == _KEPT:
                self._root, self._kept = _Known(None), 0
                self._known = _Known(None)
            known = self._known.longer[seen] = _Known(self._completed(occurrence, with_last))
            self._kept += 1
        self._known = known
        return known.match

    def _completed(self, occurrence: Occurrence, with_last: bool) -> Match | None:
        """The violation that the last event completes."""
        if occurrence.event not in self._last:
            return None
        bindings = self._bound()
        found_match = self._found(bindings, occurrence, with_last)
        self.is_undecided |= bindings.undecided
        return found_match

    def _bound(self) -> Bindings:
        """The bindings of the events so far."""
        if self._bindings is None:
            self._bindings = Bindings(self.stated)
        for each in self._events[self._added :]:
            self._bindings.add(each)
        self._added = len(self._events)
        return self._bindings

    def reached(self, measure: Measure | None, sites: Sequence[int]) -> Reached:
        """What the execution has had of the property; without a ``measure`` only its events. ``sites`` are those of the
        events that were seen."""
        if self._known.reached is None:
            words = () if measure is None else self._bound().bindings()
            found = Reached() if measure is None else measure.reached(words, sites)
            self._known.reached = found._replace(events=frozenset(each.event for each in self._events))
        return self._known.reached

    def _found(self, bindings: Bindings, occurrence: Occurrence, with_last: bool) -> Match | None:
        for binding, word in bindings.bindings(with_=occurrence):
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
        after: dict[State, int] = {}
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


def _last_events(pattern: Pattern, all_events: frozenset[str]) -> frozenset[str]:
    """The events with which a word of a pattern may end, and perhaps more; a complement has words with all events."""
    match pattern:
        case Letter(event):
            return frozenset({event})
        case Parallel() | Complement():
            return all_events
        case Alternation(parts):
            return frozenset[str]().union(*(_last_events(part, all_events) for part in parts))
        case Intersection(parts):
            return all_events.intersection(*(_last_events(part, all_events) for part in parts))
        case Repetition(part):
            return _last_events(part, all_events)
        case Concatenation(parts):
            found = frozenset[str]()
            for part in reversed(parts):
                found |= _last_events(part, all_events)
                if not _may_be_empty(part):
                    break
            return found


def _may_be_empty(pattern: Pattern) -> bool:
    if isinstance(pattern, Parallel):
        return False
    automaton = Automaton(pattern, ())
    return automaton.accepts(automaton.start)
