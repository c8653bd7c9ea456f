"""How far executions got with a property: which of its events happened, and how much of its pattern in a row.

A property whose events never happen, or whose pattern no order of the events can match, is violated by nothing: that is
no result about the program. What is decided from here (:func:`doubt`):

- An event that never happened may have a pointcut that describes nothing. It doesn't matter if the event only keeps
  others apart, as ``open`` in ``open? close close`` does: without it there are more violations, not fewer. Those are
  the events that no minimal word has (:mod:`mazurka.properties.minimal`).
- If a pattern is about several threads, and the events that it wants of one of them (``begin(t1) read(t1) end(t1)``)
  did happen in its order, but others of the same thread, which the pattern names too, were always in between, then no
  order of the threads can match it. Events that only keep others apart are in between on purpose.

Cost: some milliseconds for a property; for an execution with a new sequence of events the length of its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from mazurka.properties.automaton import Automaton, State
from mazurka.properties.bindings import Binding, NamedOccurrence
from mazurka.properties.minimal import alphabet_of, minimal_endings
from mazurka.properties.property import Property
from mazurka.properties.reached import AllReached, Next, Reached
from mazurka.properties.registry import own
from mazurka.trace.ids import SiteNumber
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


class Measure:
    """Measures the words of executions by the pattern of a property."""

    def __init__(self, pattern: Pattern) -> None:
        alphabet = frozenset(frozenset({letter}) for letter in letters(pattern))
        self._words = [Automaton(each, alphabet) for each in _in_a_row(pattern)]
        self._separating = separating(pattern)
        self._own = {name: Automaton(_of_thread(pattern, name), alphabet) for name in _attributes(pattern)}

    def reached(self, words: Iterable[tuple[Binding, Sequence[NamedOccurrence]]], sites: Sequence[int]) -> Reached:
        """What an execution had, without the names of its events; ``sites`` are those of its events, by number."""
        found = Reached()
        for binding, word in words:
            for automaton in self._words:
                begins, length = _longest(automaton, word)
                if length > len(found.longest):
                    row, after = word[begins : begins + length], word[begins + length : begins + length + 1]
                    then = next((_next(each, sites) for each in after), None)
                    found = found._replace(longest=tuple(map(_called, row)), then=then)
            for name, automaton in self._own.items():
                if name in found.fits or binding.threads.get(name) is None:
                    continue
                own = [each for each in word if each.occurrence.thread == binding.threads[name]]
                does_fit, between = _fits(automaton, own, self._separating)
                broken = () if between is None else ((name, _next(between, sites)),)
                found = found.joined(Reached(fits=frozenset({name} if does_fit else ()), broken=broken))
        return found


def _called(named: NamedOccurrence) -> str:
    letter = max(named.symbol, key=lambda each: (each.thread, str(each)))
    return f"{letter.event}({letter.thread})" if letter.thread else letter.event


def _next(named: NamedOccurrence, sites: Sequence[int]) -> Next:
    return Next(_called(named), sites[named.occurrence.number])


def _longest(automaton: Automaton, word: Sequence[NamedOccurrence]) -> tuple[int, int]:
    """The beginning and the length of the longest factor of a word with which a word of the language begins."""
    begins, longest = 0, 0
    since: dict[State, int] = {}
    for place, named in enumerate(word):
        since.setdefault(automaton.start, place)
        after: dict[State, int] = {}
        for state, begin in since.items():
            then = automaton.after(state, named.symbol)
            if automaton.is_live(then):
                after[then] = min(begin, after.get(then, begin))
                if place + 1 - begin > longest:
                    begins, longest = begin, place + 1 - begin
        since = after
    return begins, longest


def _fits(
    automaton: Automaton, own: Sequence[NamedOccurrence], separating: frozenset[str]
) -> tuple[bool, NamedOccurrence | None]:
    """Whether events of a thread have a factor in a language; otherwise, if they have a word of it with others in
    between, the first of these."""
    if automaton.accepts(automaton.start):
        return True, None
    exact: set[State] = set()
    skipping: dict[State, NamedOccurrence] = {}  # with the first event that was skipped
    between = None
    for named in own:
        exact.add(automaton.start)
        after = {automaton.after(state, named.symbol) for state in exact}
        skipped = {automaton.after(state, named.symbol): first for state, first in skipping.items()}
        if named.occurrence.event not in separating:
            skipped |= dict.fromkeys(exact - {automaton.start}, named) | skipping
        if any(map(automaton.accepts, after)):
            return True, None
        between = between or next((first for state, first in skipped.items() if automaton.accepts(state)), None)
        exact = {state for state in after if automaton.is_live(state)}
        skipping = {state: first for state, first in skipped.items() if automaton.is_live(state)}
    return False, between


def _in_a_row(pattern: Pattern) -> Iterator[Pattern]:
    """The words of a pattern, those that end with two events at once in either order; none for a protocol."""
    if protocol(pattern) is not None:
        return
    for start, pair in endings(pattern):
        if pair is None:
            yield start
        else:
            yield Concatenation((start, pair.first, pair.second))
            yield Concatenation((start, pair.second, pair.first))


def _attributes(pattern: Pattern) -> Sequence[str]:
    """The thread attributes of a pattern whose words are one event after the other, if it has several."""
    names = list(dict.fromkeys(letter.thread for letter in letters(pattern) if letter.thread))
    return names if len(names) > 1 and _is_regular(pattern) else ()


def _is_regular(pattern: Pattern) -> bool:
    match pattern:
        case Letter():
            return True
        case Complement() | Intersection() | Parallel():
            return False
        case Repetition(part):
            return _is_regular(part)
        case Concatenation(parts) | Alternation(parts):
            return all(map(_is_regular, parts))


def _of_thread(pattern: Pattern, name: str) -> Pattern:
    """What a pattern wants of one thread; events of any thread may be its own."""
    match pattern:
        case Letter(_, thread):
            own: Pattern = Concatenation(()) if thread not in ("", name) else pattern
            return own if thread else Repetition(own, 0, False)
        case Repetition(part, least, often):
            return Repetition(_of_thread(part, name), least, often)
        case Concatenation(parts):
            return Concatenation(tuple([_of_thread(part, name) for part in parts]))
        case Alternation(parts):
            return Alternation(tuple([_of_thread(part, name) for part in parts]))
        case _:
            raise ValueError(f"{pattern} is no word of events")


def separating(pattern: Pattern) -> frozenset[str]:
    """The events of a pattern that only keep others apart: no minimal word has one."""
    names = {letter.event for letter in letters(pattern)}
    alphabet = alphabet_of(pattern)
    if protocol(pattern) is not None or not alphabet:
        return frozenset()
    any_word = Repetition(Alternation(tuple(dict.fromkeys(letters(pattern)))), 0, True)
    for start, pair in minimal_endings(pattern):
        names -= {letter.event for letter in (() if pair is None else (pair.first, pair.second))}
        for name in sorted(names):
            own = Alternation(tuple([each for each in dict.fromkeys(letters(pattern)) if each.event == name]))
            with_it = Automaton(Intersection((start, Concatenation((any_word, own, any_word)))), alphabet)
            if with_it.is_live(with_it.start):
                names.discard(name)
    return frozenset(names)


# -- in words ---------------------------------------------------------------------------------------------------------


def _absent(stated: Property, reached: Reached) -> list[str]:
    """The events of a property's pattern that never happened."""
    return [event for event in _events(stated) if event not in reached.events]


def _events(stated: Property) -> Sequence[str]:
    return list(dict.fromkeys(letter.event for letter in letters(stated.pattern)))


def doubt(stated: Property, reached: Reached, place: Callable[[SiteNumber], str]) -> str:
    """Why executions without a violation say nothing about a property; "" if they do. ``place`` is that of a site."""
    apart = separating(stated.pattern)
    if needed := [event for event in _absent(stated, reached) if event not in apart]:
        questioned = "is its pointcut" if len(needed) == 1 else "are their pointcuts"
        return f"{_never(needed, f' of {stated.name}')}; {questioned} as it should be?"
    for thread, between in reached.broken:
        return (
            f"no order of the threads matches the pattern of {stated.name}: it wants events of {thread} one after the "
            f"other, and {_came(between, place)} is always in between; let the pattern allow that"
        )
    return ""


def summaries(
    properties: Iterable[Property], reached: AllReached, place: Callable[[SiteNumber], str] = lambda site: ""
) -> list[str]:
    """How far executions without a violation got with properties. Of a ready one it is only said that none of its
    events happened: it has those of many libraries."""
    stated = {each.name: each for each in properties}
    nothing = [name for name, each in stated.items() if reached.get(name, Reached()).events.isdisjoint(_events(each))]
    several = "one of their events" if len(nothing) > 1 else "none of its events"
    first = [f"{', '.join(nothing)}: {'not ' * (len(nothing) > 1)}{several} happened"] if nothing else []
    others = [each for each in own(stated.values()) if each.name not in nothing]
    return [*first, *filter(None, [_summary(each, reached[each.name], place) for each in others])]


def _summary(stated: Property, reached: Reached, place: Callable[[SiteNumber], str]) -> str:
    absent = _absent(stated, reached)
    parts = [_never(absent)] if absent else []
    if reached.longest:
        then = "" if reached.then is None else f", and then {_came(reached.then, place)}"
        parts.append(f"of its pattern at most {' '.join(reached.longest)} happened in a row{then}")
    return f"{stated.name}: {'; '.join(parts)}" if parts else ""


def _came(event: Next, place: Callable[[SiteNumber], str]) -> str:
    where = place(SiteNumber(event.site))
    return f"{event.event} at {where}" if where else event.event


def _never(events: Sequence[str], of: str = "") -> str:
    """That events have never happened."""
    named = events[0] if len(events) == 1 else f"{', '.join(events[:-1])} and {events[-1]}"
    return f"the event{'s' * (len(events) > 1)} {named}{of} never happened"
