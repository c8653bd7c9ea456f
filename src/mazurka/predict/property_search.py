"""Finds the executions that a trace proves possible and that violate a property (patent, "Property Encoding").

For each binding, candidates are sequences of the events that it names: for the minimal words of the pattern
(:mod:`mazurka.properties.minimal`), without the repetitions of ``*`` and ``+``, all events that can stand for their
letters in an order that the trace does not exclude at once (fast_path.py). The maximal causal model decides whether
they can happen in this order. Its answer is an execution; if other events that the binding names come between those of
the candidate, the automaton of the pattern decides whether the word is one of the pattern nevertheless. Otherwise one
of these events is decided on: it comes before the first event, or at a certain place of the sequence, or not at all.

This is exact, where the patent drops repetitions and takes the order of a few events for a match. It is bounded by the
numbers of candidates and of questions; candidates beyond them are undecided.

Cost: that of the candidates, some of which are products of events, and some tenths of a millisecond for most questions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, pairwise
from typing import Final, NamedTuple

import numpy as np

from mazurka.causal.question import Before, Question
from mazurka.causal.solver import Infeasible, Unknown
from mazurka.predict.fast_path import needs_of
from mazurka.predict.kinds.definition import LIMIT, Rows, place_of
from mazurka.predict.questions import Questions, Verdict
from mazurka.properties.automaton import Automaton, State, Symbol
from mazurka.properties.bindings import Binding, Bindings, NamedOccurrence, Occurrence
from mazurka.properties.minimal import minimal_endings
from mazurka.properties.monitor import single_letters
from mazurka.trace.ids import StepIndex
from mazurka.trace.patterns import Parallel, Pattern, Stated, protocol
from mazurka.trace.property_events import property_events
from mazurka.trace.trace import Trace
from mazurka.witness.witness import PropertyViolation, Witness

#: The most questions about a candidate, and the most shortest words of a pattern.
_QUESTIONS: Final = 256
_WORDS: Final = 200

#: The most candidates of a property.
_MOST: Final = 200_000

#: The place of a row that does not take place.
_NEVER: Final = 1 << 40


class Candidate(NamedTuple):
    """Events that may be a violation: those of a word in their order, and two that are next at once then, if any.
    ``word`` has all events that the binding names, in the order of the trace."""

    binding: Binding
    word: Sequence[NamedOccurrence]
    pattern: Pattern
    events: tuple[Occurrence, ...]
    pair: tuple[Occurrence, ...] = ()


class _Choice(NamedTuple):
    """The decisions on a candidate: the sequence so far, events that come before it, and events that don't take
    place."""

    events: tuple[Occurrence, ...]
    earlier: frozenset[Occurrence] = frozenset()
    never: frozenset[Occurrence] = frozenset()


class PropertySearch:
    """Decides one property on one trace. ``window``: the number of rows that are reordered at a time; None: all."""

    def __init__(self, trace: Trace, stated: Stated, window: int | None = None) -> None:
        self.trace, self.stated = trace, stated
        self._window = window
        self._protocol = protocol(stated.pattern)
        self.events = property_events(trace, stated.name)
        self._bindings = Bindings(stated)
        self._automata: dict[tuple[Pattern, frozenset[Symbol]], Automaton] = {}
        for number, event in enumerate(self.events):
            self._bindings.add(Occurrence(number, event.thread, event.event, event.objects))
        watched = np.unique(np.array([row for event in self.events for row in (event.first, event.row)], np.int32))
        self._needs = needs_of(trace, watched) if len(watched) else np.zeros((0, 0), np.int32)
        self._watched = {row: number for number, row in enumerate(watched.tolist())}
        self.left: set[Hashable] = set()  # places with more candidates than are decided
        self._loosely = False  # whether an event before an operation of several rows needs the first of them only
        self._loose_end = False  # whether that holds for the last event of a word

    @cached_property
    def _questions(self) -> Questions:
        """The causal model. That an event takes place before an update does not say that the update writes."""
        return Questions(self.trace, self._window, relaxes_updates=True)

    @cached_property
    def _endings(self) -> Sequence[tuple[Pattern, Parallel | None]]:
        """The alternatives of the pattern, with their minimal words."""
        return minimal_endings(self.stated.pattern)

    # -- candidates ---------------------------------------------------------------------------------------------------

    def groups(self) -> dict[Hashable, list[Candidate]]:
        """Candidates by places: the first of each that are decided."""
        found: dict[Hashable, list[Candidate]] = {}
        for number, candidate in enumerate(self._candidates(), 1):
            several = found.setdefault(key := self.place(candidate), [])
            if len(several) < LIMIT:
                several.append(candidate)
            else:
                self.left.add(key)
            if number >= _MOST:
                self.left.add(None)
                break
        if self._bindings.undecided:
            self.left.add(None)
        return found

    def place(self, candidate: Candidate) -> Hashable:
        """The places of the events."""
        return tuple([place_of(self.trace, row) for row in self.points(candidate)])

    def points(self, candidate: Candidate) -> Rows:
        """The rows with POINT of the events."""
        return tuple([self.events[each.number].point for each in (*candidate.events, *candidate.pair)])

    def _candidates(self) -> Iterator[Candidate]:
        for binding, word in self._bindings.bindings():
            if self._protocol is not None:
                yield from self._of_pattern(binding, word, self._protocol, refused=True)
                continue
            for pattern, pair in self._endings:
                if pair is None:
                    yield from self._of_pattern(binding, word, pattern)
                else:
                    yield from self._with_pair(binding, word, pattern, pair)

    def _of_pattern(
        self, binding: Binding, word: Sequence[NamedOccurrence], pattern: Pattern, refused: bool = False
    ) -> Iterator[Candidate]:
        automaton = self._automaton(word, pattern)
        by_symbol = _by_symbol(word)
        for symbols in self._words(automaton, by_symbol, refused):
            for events in self._sequences([by_symbol[symbol] for symbol in symbols]):
                yield Candidate(binding, word, pattern, events)

    def _with_pair(
        self, binding: Binding, word: Sequence[NamedOccurrence], pattern: Pattern, pair: Parallel
    ) -> Iterator[Candidate]:
        first, second = (
            [x for x, symbol in word if letter in symbol and not self.events[x.number].needs_value]
            for letter in (pair.first, pair.second)
        )
        automaton, by_symbol = self._automaton(word, pattern), _by_symbol(word)
        words: list[tuple[Symbol, ...]] = [()] if automaton.accepts(automaton.start) else []
        words += self._words(automaton, by_symbol, False)
        for symbols in words:
            for events in self._sequences([by_symbol[symbol] for symbol in symbols]):
                for one in first:
                    for other in second:
                        if one.thread != other.thread and self._may_be_next(events, one, other):
                            yield Candidate(binding, word, pattern, events, (one, other))

    def _automaton(self, word: Sequence[NamedOccurrence], pattern: Pattern) -> Automaton:
        symbols = frozenset({each.symbol for each in word})
        if self._protocol is not None:
            symbols |= single_letters(pattern)
        known = self._automata.get((pattern, symbols))
        if known is None:
            known = self._automata[pattern, symbols] = Automaton(pattern, symbols)
        return known

    def _words(
        self, automaton: Automaton, events: Mapping[Symbol, Sequence[Occurrence]], refused: bool
    ) -> Iterator[tuple[Symbol, ...]]:
        available = {symbol: len(several) for symbol, several in events.items()}
        words = list(islice(automaton.words(available, refused), _WORDS + 1))
        if len(words) > _WORDS:
            self.left.add(None)
        yield from words[:_WORDS]

    def _sequences(
        self, choices: Sequence[Sequence[Occurrence]], before: tuple[Occurrence, ...] = ()
    ) -> Iterator[tuple[Occurrence, ...]]:
        """The ways to choose an event for each place, as far as their order is not excluded at once."""
        if not choices:
            yield before
            return
        for each in choices[0]:
            if each not in before and all(self._may_precede(earlier, each) for earlier in before):
                yield from self._sequences(choices[1:], (*before, each))

    def _is_needed(self, first: Occurrence, second: Occurrence) -> bool:
        """Whether an event takes place in all executions in which another one does, as far as that is seen at once."""
        one, other = self._mark(first), self._mark(second)
        if first.thread == second.thread:
            return one <= other
        needs = self._needs[self._watched[self._begin(second)]]
        return bool(needs[self.events[first.number].thread] >= one)

    def _is_needed_before(self, first: Occurrence, second: Occurrence) -> bool:
        """Whether an event takes place in all executions in which the operation of another one is next, as far as that
        is seen at once."""
        one, row, thread = self._mark(first), self.events[second.number].first, self.events[first.number].thread
        return one < row if first.thread == second.thread else bool(self._needs[self._watched[row], thread] >= one)

    def _must_precede(self, first: Occurrence, second: Occurrence) -> bool:
        """Whether an event comes before another one, if both take place, as far as that is seen at once."""
        one, other = self.events[first.number], self.events[second.number]
        if one.thread == other.thread or one.row == other.row:
            return first.number < second.number
        return bool(self._needs[self._watched[self._begin(second)], one.thread] >= self._begin(first))

    def _begin(self, each: Occurrence) -> int:
        """The row with which an event takes place at the earliest: before an operation, its first."""
        event = self.events[each.number]
        return event.first if event.begins(self.stated.before) else event.row

    def _may_precede(self, first: Occurrence, second: Occurrence) -> bool:
        """Whether nothing excludes at once that an event comes before another one."""
        return not self._must_precede(second, first)

    def _may_be_next(self, events: Sequence[Occurrence], one: Occurrence, other: Occurrence) -> bool:
        """Whether nothing excludes at once that the operations of two events are next after other events."""
        pair = (one, other)
        return not any(
            each in pair or self._has_begun(late, self._begin(each)) for each in events for late in pair
        ) and not (
            self._has_begun(one, self.events[other.number].first)
            or self._has_begun(other, self.events[one.number].first)
        )

    def _has_begun(self, each: Occurrence, row: int) -> bool:
        """Whether the operation of an event begins before a watched row, if both take place, as far as that is seen at
        once."""
        event = self.events[each.number]
        if event.thread == self.trace.thread[row]:
            return event.first < row
        return bool(self._needs[self._watched[row], event.thread] >= event.first)

    # -- decisions ----------------------------------------------------------------------------------------------------

    def decide(self, candidate: Candidate) -> Verdict:
        """A witness of a violation that contains the events of a candidate in their order; or that there is none.

        A witness has all rows of the operation that an event comes before, unless the event is the last one and nothing
        of the operation matters. If the first rows of an operation give other values than in the trace, it goes on in a
        way that the trace does not show: so there is no violation only if none is possible with the first row alone."""
        if self._bindings.undecided:
            return Unknown("a condition on objects that are no plain values")
        answer = self._decide(candidate)
        if isinstance(answer, Witness) or not any(self._has_several_rows(each.occurrence) for each in candidate.word):
            return answer
        if not candidate.pair and any(self._has_several_rows(each) for each in candidate.events[-1:]):
            self._loose_end = True
            try:
                found = self._decide(candidate)
            finally:
                self._loose_end = False
            if isinstance(found, Witness):
                return found
        if isinstance(answer, Infeasible):
            self._loosely = True
            try:
                if not isinstance(self._decide(candidate), Infeasible):
                    return Unknown("an operation of several rows may begin with other values")
            finally:
                self._loosely = False
        return answer

    def _has_several_rows(self, each: Occurrence) -> bool:
        return self._begin(each) != self.events[each.number].row

    def _decide(self, candidate: Candidate) -> Verdict:
        symbols = {each.occurrence: each.symbol for each in candidate.word}
        automaton = self._automaton(candidate.word, candidate.pattern)
        stack, asked, unsure = [_Choice(candidate.events)], 0, False
        seen = set(stack)
        while stack:
            choice = stack.pop()
            decided = {*choice.events, *choice.earlier, *choice.never}
            other = next(
                (x for x in symbols if x not in decided and self._must_come_between(candidate, choice, x)), None
            )
            if other is None:
                if asked == _QUESTIONS:
                    return Unknown("too many questions about one candidate")
                asked += 1
                answer = self._ask(candidate, choice)
                if isinstance(answer, Unknown):
                    unsure = True
                if not isinstance(answer, Witness):
                    continue
                amid = self._loose_end and bool(choice.events) and self._is_amid(choice, answer)
                part = [] if amid else self._part(candidate, choice, answer, symbols)
                if amid or (not self._loosely and self._overlap(part, symbols, answer)):
                    unsure = True
                elif self._is_violation(automaton, [symbols[each] for each in part]):
                    return self._witness(candidate, part, answer)
                other = next((each for each in (*part, *symbols) if each not in decided), None)
            for next_ in () if other is None else self._decisions(automaton, candidate, choice, other, symbols):
                if next_ not in seen:
                    seen.add(next_)
                    stack.append(next_)
        return Unknown("a question has no answer") if unsure else Infeasible()

    def _must_come_between(self, candidate: Candidate, choice: _Choice, other: Occurrence) -> bool:
        """Whether it is seen at once that an event comes between the first and the last of a sequence; for a protocol,
        before the last."""
        if self._protocol is None and not (choice.events and self._must_precede(choice.events[0], other)):
            return False
        needing = choice.events if candidate.pair else choice.events[-1:]
        return any(self._must_precede(other, late) and self._is_needed(other, late) for late in needing) or any(
            self._is_needed_before(other, late) for late in candidate.pair
        )

    def _mark(self, each: Occurrence, is_last: bool = False) -> int:
        """The row that is in an order if and only if an event takes place in it. ``is_last``: of the last event of a
        word, which an order ends with."""
        event = self.events[each.number]
        if not event.begins(self.stated.before):
            return event.point
        return event.first if self._loosely or (is_last and self._loose_end) else event.row

    def _marks(self, events: Sequence[Occurrence]) -> list[int]:
        """The marks of the events of a word."""
        return [*map(self._mark, events[:-1]), *(self._mark(each, True) for each in events[-1:])]

    def _ask(self, candidate: Candidate, choice: _Choice) -> Verdict:
        order = [constraint for one, other in pairwise(choice.events) for constraint in self._one_after(one, other)]
        for each in choice.earlier if choice.events else ():
            order += self._one_after(each, choice.events[0])
        pair = tuple([self.events[each.number].first for each in candidate.pair])
        question = Question(
            happen=(*self._marks(choice.events), *map(self._mark, choice.earlier)),
            next=pair,
            never=tuple(map(self._mark, choice.never)),
            constraints=tuple(order),
        )
        return self._questions.prove(self._claim(candidate, choice.events), question)

    def _one_after(self, first: Occurrence, second: Occurrence) -> list[Before]:
        """Constraints that an event comes before another one, as a whole: an operation may have several rows."""
        one, other = self.events[first.number], self.events[second.number]
        if one.row == other.row:
            return []
        if self._loosely:
            return [Before(self._begin(first), self._begin(second))]
        return [Before(one.row, other.row if one.thread == other.thread else other.first)]

    def _claim(self, candidate: Candidate, events: Iterable[Occurrence]) -> PropertyViolation:
        binding, all_ = candidate.binding, self.events
        steps = [StepIndex(all_[each.number].point) for each in (*events, *candidate.pair)]
        names = self.trace.threads
        threads = [(one, names[t] if isinstance(t, int) else None) for one, t in binding.threads.items()]
        regions = [
            (name, None if each is None else (all_[each.begin].point, all_[each.end].point if each.end >= 0 else -1))
            for name, each in binding.regions.items()
        ]
        return PropertyViolation(
            self.stated,
            tuple(steps),
            tuple(binding.objects.items()),
            tuple(threads),
            tuple(regions),
            bool(candidate.pair),
        )

    def _part(
        self, candidate: Candidate, choice: _Choice, answer: Witness, symbols: dict[Occurrence, Symbol]
    ) -> list[Occurrence]:
        """The events of an execution that the binding names, from the first to the last of a sequence; to the end of
        the execution, if two that are next at once follow; from its beginning, for a protocol."""
        at = _places(answer)
        end = _NEVER - 1 if candidate.pair else max(map(at, self._marks(choice.events)))
        done = [each for each in symbols if at(self._mark(each)) <= end]
        row_of = self._begin if self._loosely else lambda each: self.events[each.number].row
        done.sort(key=lambda each: (at(row_of(each)), each.number))
        if self._loose_end and choice.events:
            last_one = choice.events[-1]
            begin = at(self._begin(last_one))
            done = [each for each in done if at(row_of(each)) < begin]
            done += [each for each in symbols if self._is_begun_with(each, last_one) and each.number <= last_one.number]
        if not choice.events:
            return [] if candidate.pair else done
        begin = 0 if self._protocol is not None else done.index(choice.events[0])
        last = len(done) if candidate.pair else done.index(choice.events[-1]) + 1
        return done[begin:last]

    def _overlap(self, part: Sequence[Occurrence], named: Iterable[Occurrence], answer: Witness) -> bool:
        """Whether the operation of an event of a word, and that of another event that the binding names, overlap in an
        execution: then it does not show their order."""
        at = _places(answer)

        def interval(each: Occurrence) -> tuple[int, int, int]:
            event = self.events[each.number]
            is_begun = self._loose_end and bool(part) and self._is_begun_with(each, part[-1])
            return at(event.first), at(event.first if is_begun else event.row), event.thread

        begun = [each for each in map(interval, named) if each[0] < _NEVER]
        return any(
            one[2] != other[2] and one[0] < other[1] and other[0] < one[1]
            for one in map(interval, part)
            for other in begun
        )

    def _is_begun_with(self, each: Occurrence, last: Occurrence) -> bool:
        """Whether an event takes place with the first row of an operation that another event comes before."""
        event = self.events[each.number]
        return event.row == self.events[last.number].row and event.begins(self.stated.before)

    def _is_amid(self, choice: _Choice, answer: Witness) -> bool:
        """Whether an execution that is to end with the first row of the last event's operation has more of that
        operation, or has an earlier event only after that row."""
        at = _places(answer)
        last = self.events[choice.events[-1].number]
        if at(last.row) <= max(map(at, self._marks(choice.events))):
            return last.row != last.first
        return any(at(self.events[each.number].row) >= at(last.first) for each in choice.events[:-1])

    def _is_violation(self, automaton: Automaton, symbols: Sequence[Symbol]) -> bool:
        """Whether a word is in the language or, for a protocol, refused because of its last symbol."""
        state = automaton.start
        for symbol in symbols:
            if self._protocol is not None and not automaton.is_live(state):
                return False
            state = automaton.after(state, symbol)
        return automaton.accepts(state) if self._protocol is None else not automaton.is_live(state)

    def _decisions(
        self,
        automaton: Automaton,
        candidate: Candidate,
        choice: _Choice,
        other: Occurrence,
        symbols: dict[Occurrence, Symbol],
    ) -> Iterator[_Choice]:
        """The ways in which another event, mostly one that came between, may take place, or not."""
        events = choice.events
        first = 0 if self._protocol is not None else 1
        last = len(events) + (1 if candidate.pair else 0)
        for gap in range(first, last):
            longer = (*events[:gap], other, *events[gap:])
            before, after = events[:gap], (*events[gap:], *candidate.pair)
            if any(self._must_precede(other, each) for each in before) or any(
                self._must_precede(each, other) for each in after
            ):
                continue
            if self._may_become_word(automaton, candidate, [symbols[each] for each in longer]):
                yield choice._replace(events=longer)
        if self._protocol is None and events and not self._must_precede(events[0], other):
            yield choice._replace(earlier=choice.earlier | {other})
        if not any(self._is_needed(other, each) for each in events) and not any(
            self._is_needed_before(other, each) for each in candidate.pair
        ):
            yield choice._replace(never=choice.never | {other})

    def _may_become_word(self, automaton: Automaton, candidate: Candidate, symbols: Sequence[Symbol]) -> bool:
        """Whether further symbols between these, or after them if two at once follow, may make a word of the pattern;
        for a protocol, whether further symbols before the last may make a word that it refuses because of the last."""
        states = {automaton.start}
        for number, symbol in enumerate(symbols):
            if number or self._protocol is not None:
                states = _closure(automaton, states)
            if self._protocol is not None:
                states = set(filter(automaton.is_live, states))
            states = {automaton.after(state, symbol) for state in states}
        if self._protocol is not None:
            return not all(map(automaton.is_live, states))
        if candidate.pair:
            states = _closure(automaton, states)
        return any(map(automaton.accepts, states))

    def _witness(self, candidate: Candidate, part: Sequence[Occurrence], answer: Witness) -> Witness:
        """The answer, cut after the last event of the word, with the claim about all its events."""
        order, claim = answer.order, self._claim(candidate, part)
        if not candidate.pair:
            marks = self._marks(part)
            last = max((place for place, row in enumerate(order) if row in marks), default=-1)
            order = order[: last + 1]
        return replace(answer, order=order, unread=answer.unread & frozenset(order), claim=claim)


def _places(witness: Witness) -> Callable[[int], int]:
    """The place of each row in an execution."""
    later: dict[int, int] = {row: number for number, row in enumerate(witness.order, witness.prefix)}
    return lambda row: row if row < witness.prefix else later.get(row, _NEVER)


def _by_symbol(word: Sequence[NamedOccurrence]) -> dict[Symbol, list[Occurrence]]:
    found: dict[Symbol, list[Occurrence]] = {}
    for each in word:
        found.setdefault(each.symbol, []).append(each.occurrence)
    return found


def _closure(automaton: Automaton, states: Iterable[State]) -> set[State]:
    """The states that any further symbols lead to."""
    reached = set(states)
    stack = list(reached)
    while stack:
        state = stack.pop()
        for symbol in automaton.alphabet:
            then = automaton.after(state, symbol)
            if then not in reached:
                reached.add(then)
                stack.append(then)
    return reached
