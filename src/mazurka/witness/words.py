"""Checks that an order of a recorded trace violates a property: the words of :mod:`mazurka.trace.patterns`, decided by
the definition.

The language of a pattern is decided by sets of ends: for a word and a start, all ends at which a word of the pattern
can end. Shares no code with the search for violations, which uses automata.

Cost: for a word of n events some n² sets for each operator of the pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from mazurka.trace.conditions_on_objects import UndecidedCondition, agree
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
    protocol,
)
from mazurka.trace.property_events import PropertyEvent, property_events
from mazurka.trace.trace import Trace
from mazurka.witness.witness import PropertyViolation

#: The place of a row that is not in the order.
NEVER: Final = 1 << 40

#: The letters that name each event.
_Word = Sequence[frozenset[Letter]]


def violation_objections(
    claim: PropertyViolation,
    trace: Trace,
    place: Callable[[int], int],
    all_next: Callable[[Sequence[int]], Iterator[str]],
) -> Iterator[str]:
    """All objections to a claim about an order. ``place`` gives the places of rows in it, ``all_next`` the objections
    to rows' being the next of their threads at its end."""
    events = {event.point: event for event in property_events(trace, claim.property.name)}
    if not claim.steps or any(step not in events for step in claim.steps):
        yield "a step is no event of the property"
        return
    naming = _Naming(claim, trace, list(events.values()))
    yield from naming.objections()
    done = [event for event in naming.events if place(naming.row_of_occurrence(event)) < NEVER]
    done.sort(key=lambda event: (place(event.row), event.point))
    last = events[claim.steps[-1]]
    if not claim.at_once and naming.begins_at_end(last, place):
        done = [event for event in done if place(event.row) < place(last.first)]
        done += [event for event in naming.begun_with(last) if event.point <= last.point]
    points = [event.point for event in done]
    word = [naming.letters_of(event) for event in done]
    steps = list(claim.steps[:-2] if claim.at_once else claim.steps)
    begin = len(points) - len(steps) if claim.at_once else points.index(steps[0]) if steps[0] in points else -1
    if begin < 0 or points[begin : begin + len(steps)] != steps:
        yield f"the events at steps {', '.join(map(str, steps))} are not consecutive events of the word in the order"
        return
    yield from _overlaps(done[begin : begin + len(steps)], naming.events, place)
    part = word[begin : begin + len(steps)]
    if claim.at_once:
        pair = [events[step] for step in claim.steps[-2:]]
        yield from _at_once(claim, part, pair, [naming.letters_of(event) for event in pair])
        yield from all_next([event.first for event in pair])
        return
    stated = protocol(claim.property.pattern)
    if stated is not None:
        if begin > 0 or _continues(stated, part, 0):
            yield "the events follow the protocol"
    elif not any(len(part) in _ends(start, part, 0) for start, pair in endings(claim.property.pattern) if pair is None):
        yield "the events are no word of the pattern"


def _overlaps(
    word: Sequence[PropertyEvent], named: Iterable[PropertyEvent], place: Callable[[int], int]
) -> Iterator[str]:
    """Operations of several rows happen as a whole: that of an event of the word and that of another event that is
    named come one after the other. Of an event with whose first row the order ends only that row counts."""

    def until(event: PropertyEvent) -> int:
        is_cut = bool(word) and event.row == word[-1].row and place(event.row) == NEVER
        return place(event.first) if is_cut else place(event.row)

    begun = [event for event in named if place(event.first) < NEVER]
    for one in word:
        for other in begun:
            if one.thread != other.thread and place(one.first) < until(other) and place(other.first) < until(one):
                yield f"the operations of the events at steps {one.point} and {other.point} overlap"


def _at_once(
    claim: PropertyViolation, before: _Word, pair: Sequence[PropertyEvent], named: Sequence[frozenset[Letter]]
) -> Iterator[str]:
    if pair[0].thread == pair[1].thread:
        yield "two events at once are of two threads"
    if any(each.needs_value for each in pair):
        yield "an event that is next depends on the value that its operation reads"
    possible = (
        len(before) in _ends(start, before, 0) and both.first in named[0] and both.second in named[1]
        for start, both in endings(claim.property.pattern)
        if both is not None
    )
    if not any(possible):
        yield "the events are no word of the pattern"


class _Naming:
    """The events that the binding of a claim names."""

    def __init__(self, claim: PropertyViolation, trace: Trace, events: Sequence[PropertyEvent]) -> None:
        self.claim, self.trace = claim, trace
        self._objects, self._threads, self._regions = dict(claim.objects), dict(claim.threads), dict(claim.regions)
        self._letters = set(letters(claim.property.pattern))
        parameters = claim.property.events
        agreeing = [
            event
            for event in events
            if event.event in parameters and _agrees(parameters[event.event], event.objects, self._objects)
        ]
        self._agreeing = agreeing
        self.events = [event for event in agreeing if self.letters_of(event)]

    def row_of_occurrence(self, event: PropertyEvent) -> int:
        """The row that is in an order if and only if the event takes place in it."""
        return event.row if event.begins(self.claim.property.before) else event.point

    def begins_at_end(self, event: PropertyEvent, place: Callable[[int], int]) -> bool:
        """Whether an event takes place in an order although the operation that it comes before does not end there: the
        event takes place with the first row of it, after all others."""
        if event not in self.events or not event.begins(self.claim.property.before):
            return False
        return place(event.first) < NEVER <= place(event.row)

    def begun_with(self, last: PropertyEvent) -> list[PropertyEvent]:
        """The events that come before the same operation as an event."""
        return [each for each in self.events if each.row == last.row and each.begins(self.claim.property.before)]

    def letters_of(self, event: PropertyEvent) -> frozenset[Letter]:
        """The letters that name an event whose objects agree."""
        return frozenset(letter for letter in self._letters if letter.event == event.event and self._is(letter, event))

    def _is(self, letter: Letter, event: PropertyEvent) -> bool:
        if not self._is_by(letter, event):
            return False
        begins = [self._regions.get(region) for region in letter.begins]
        ends = [self._regions.get(region) for region in letter.ends]
        return all(each is not None and each[0] == event.point for each in begins) and all(
            each is not None and each[1] == event.point for each in ends
        )

    def _is_by(self, letter: Letter, event: PropertyEvent) -> bool:
        return not letter.thread or self._threads.get(letter.thread) == self.trace.threads[event.thread]

    def objections(self) -> Iterator[str]:
        """Objections to the binding."""
        if not self.claim.property.are_distinct(self._objects):
            yield f"two of {', '.join(self.claim.property.distinct)} are bound to one object"
        bound = [thread for thread in self._threads.values() if thread is not None]
        if len(set(bound)) < len(bound):
            yield "two attributes are bound to one thread"
        if protocol(self.claim.property.pattern) is not None:
            for attribute, thread in self._threads.items():
                events = {letter.event for letter in self._letters if letter.thread == attribute}
                names = {self.trace.threads[each.thread] for each in self._agreeing if each.event in events}
                if thread not in names and (thread is not None or names - set(bound)):
                    yield f"attribute {attribute} is not bound to a thread with events for it"
        for region, instance in self._regions.items():
            if instance is not None and instance not in self._instances(region):
                yield f"no region {region} begins at step {instance[0]} and ends at step {instance[1]}"

    def _instances(self, region: str) -> Iterable[tuple[int, int]]:
        """The instances of a region, each by the rows of its begin and its end."""
        begun: dict[int, list[int]] = {}
        found: dict[int, int] = {}
        for event in sorted(self._agreeing, key=lambda each: (each.row, each.point)):
            own = [letter for letter in self._letters if letter.event == event.event and self._is_by(letter, event)]
            if any(region in letter.begins for letter in own):
                begun.setdefault(event.thread, []).append(event.point)
                found[event.point] = -1
            elif any(region in letter.ends for letter in own) and begun.get(event.thread):
                found[begun[event.thread].pop()] = event.point
        return found.items()


def _agrees(parameters: Sequence[str], objects: Sequence[str], bound: Mapping[str, str]) -> bool:
    try:
        return agree(parameters, objects, bound)
    except UndecidedCondition:
        return True  # it may be one of the word


def _ends(pattern: Pattern, word: _Word, begin: int) -> set[int]:
    """The places at which a word of the pattern can end that begins at ``begin``."""
    match pattern:
        case Letter():
            return {begin + 1} if begin < len(word) and pattern in word[begin] else set()
        case Concatenation(parts):
            ends = {begin}
            for part in parts:
                ends = {end for start in ends for end in _ends(part, word, start)}
            return ends
        case Alternation(parts):
            return set[int]().union(*(_ends(part, word, begin) for part in parts))
        case Intersection(parts):
            return set.intersection(*(_ends(part, word, begin) for part in parts))
        case Complement(part):
            return set(range(begin, len(word) + 1)) - _ends(part, word, begin)
        case Repetition(part, least, often):
            once = _ends(part, word, begin)
            ends = set(once) if least else once | {begin}
            fresh = set(once) if often else set()
            while fresh:
                fresh = {end for start in fresh for end in _ends(part, word, start)} - ends
                ends |= fresh
            return ends
        case Parallel():
            return set()


def _continues(pattern: Pattern, word: _Word, begin: int) -> bool:
    """Whether a word of the pattern, which has no complement or intersection, begins with the rest of the word from
    ``begin`` on."""
    match pattern:
        case Letter():
            return begin == len(word) or (begin + 1 == len(word) and pattern in word[begin])
        case Concatenation(parts):
            starts = {begin}
            for part in parts:
                if any(_continues(part, word, start) for start in starts):
                    return True
                starts = {end for start in starts for end in _ends(part, word, start)}
            return len(word) in starts
        case Alternation(parts):
            return any(_continues(part, word, begin) for part in parts)
        case Repetition(part, _, often):
            starts, fresh = {begin}, {begin}
            while fresh and often:
                fresh = {end for start in fresh for end in _ends(part, word, start)} - starts
                starts |= fresh
            return begin == len(word) or any(_continues(part, word, start) for start in starts)
        case Complement() | Intersection() | Parallel():
            return True
