"""The alternatives that one run offers to the nodes it passes on its way down the decision tree (see mcr.py)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from math import prod
from typing import Any, Final, NamedTuple

from mazurka.causal.history import INITIAL, fingerprint
from mazurka.causal.question import HypotheticalEvent
from mazurka.causal.solver import Solver
from mazurka.explore.reads_from.decision_path import NOTHING_ABOVE, Decision, DecisionPath, answer_of
from mazurka.explore.reads_from.feasibility import CandidateSchedule, FeasibilityCheck, Tally
from mazurka.explore.reads_from.forms import NOTHING, Reading, StepForms, Unresolved
from mazurka.explore.reads_from.held_threads import LoopsOfRun
from mazurka.explore.reads_from.objects import ObjectsOfRun
from mazurka.explore.reads_from.other_forms import OtherForms
from mazurka.explore.reads_from.sources import PossibleSources, StepsByThread
from mazurka.explore.reads_from.tree import Asks
from mazurka.trace.event import Op
from mazurka.trace.fingerprints import fingerprint_of_name
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import Kind, Trait, kind_of

#: The most combinations of sources that are tried for a step that reads several targets.
_COMBINATIONS: Final = 512

#: For at most so many combinations it does not pay to find out which of them are alike.
_FEW: Final = 4


class Holds(NamedTuple):
    """The signatures of the runs seen, and what has been asked about held threads."""

    seen: set[int]
    asked: set[int]


#: (target, source) of one reading access.
Read = tuple[Any, StepIndex]


class Alternatives:
    """The alternatives of a run; :meth:`all` computes them one by one."""

    def __init__(
        self,
        walk: DecisionPath,
        solver: Solver,
        tally: Tally,
        forms: StepForms | None = None,
        data_steps: Sequence[StepIndex] = (),
        several: Sequence[StepIndex] = (),
        objects: ObjectsOfRun | None = None,
        holding: tuple[LoopsOfRun, Holds] | None = None,
    ) -> None:
        """``forms`` are the known forms of the steps ``several``, which may have several accesses, and ``objects``
        those of the run; None: forms are not used. ``holding`` are the run's loops, with the runs known; None: no
        thread is held."""
        self.walk = walk
        self.history = walk.history
        self.tally = tally
        self.holding = holding
        self.asking = FeasibilityCheck(walk.history, solver, tally)
        self.taken = walk.taken
        self.locks = walk.locks
        self.lockable = walk.lockable
        self.counted = walk.counted
        self.sources = PossibleSources(walk.history)
        self.forms: OtherForms | None = None
        if forms is not None and several and objects is not None:
            self.forms = OtherForms(walk, forms, data_steps, several, self.asking, tally, self.sources, objects)
        self._hashes = [NOTHING_ABOVE]
        self._lockers = StepsByThread(self.history, self.locks)
        self._writers_that_read: dict[Any, list[StepIndex]] = {}
        self._undecided: dict[Any, list[StepIndex]] = {}
        self._contested: set[Any] | None = None

    def all(self) -> Iterator[CandidateSchedule | None]:
        """Compute the alternatives of this run at every node passed; also yields None where the caller may pause."""
        history = self.history
        if not self.tally.varying:
            self.tally.varying = any(map(self._may_vary, self._steps_of_several()))
        for stop in self.walk.stops:
            if stop.past[history.numbers[stop.step]] > history.positions[stop.step]:
                continue  # earlier nodes need the step: it has no alternative
            if stop.node.asks == Asks.TAKER:
                yield from self._other_takers(stop)
            elif self.forms is not None and stop.step in self.forms.data_steps:
                yield from self.forms.compute()
                if self._may_differ(stop, self.forms):
                    yield from self._other_readings(stop, self.forms)
            else:
                yield from self._other_sources(stop)
            yield None
        for stop in self.walk.waiting:
            yield from self._sources_of_waiting(stop)
        if self.holding is not None:
            yield from self._held(*self.holding)

    def _held(self, loops: LoopsOfRun, known: Holds) -> Iterator[CandidateSchedule | None]:
        """The runs in which a thread stays in its loop."""
        history, stops = self.history, self.walk.stops
        for held in loops.held_threads():
            signature = loops.signature(held)
            answer = hash((signature, *[self.walk.print_of(source) for _, source in held.threads[0].sources]))
            if signature in known.seen or answer in known.asked:
                continue
            known.asked.add(answer)
            yield None
            prefix = self.asking.held(held)
            if prefix is not None:
                number = next((each.number for each in stops if history.needs(each.step, held.step)), len(stops) - 1)
                yield CandidateSchedule(number + 1, answer, prefix, ())

    def unresolved(self) -> list[Unresolved]:
        """The forms of steps for which the run waits since the last call."""
        if self.forms is None:
            return []
        found, self.forms.unresolved = self.forms.unresolved, []
        return found

    def _steps_of_several(self) -> list[int]:
        """The steps at points that read, and write something else, too; but for those whose forms are used."""
        history = self.history
        data_steps = self.forms.data_steps if self.forms is not None else ()
        accesses = zip(history.points, history.reads, history.writes, history.overwrites, strict=True)
        return [
            step
            for step, (point, reads, writes, overwrites) in enumerate(accesses)
            if writes and point and len(reads) + len(writes) - len(overwrites) > 1 and step not in data_steps
        ]

    def _may_vary(self, step: int) -> bool:
        """Whether a step of several accesses might have other writes in another order of the threads: it reads writes
        of other threads that may come before it or after it.

        A step that writes only in other runs need not count: without writes no other step prevents its other reads, so
        a run shows that form.
        """
        return any(
            not kind_of(target).has(Trait.ORDERS | Trait.LISTS) and self._has_choice(step, target, present)
            for target, present in self.history.reads[step]
        )

    def _has_choice(self, step: int, target: Any, present: StepIndex) -> bool:
        """Whether the step could read the target from another write after the same earlier steps of its thread."""
        return len(self.sources.of(step, target, present)) > 1

    def _before_needs(self, thread: int, position: int, other: int) -> bool:
        """Whether the first ``position`` steps of ``thread`` causally need ``other``."""
        return position > 0 and self.history.needs(self.history.threads[thread][position - 1], other)

    def _place(self, step: int) -> tuple[int, int]:
        return self.history.numbers[step], self.history.positions[step]

    # -- takers -------------------------------------------------------------------------------------------------------

    def _other_takers(self, stop: Decision) -> Iterator[CandidateSchedule]:
        """The other threads that might acquire the lock instead of ``stop.step``."""
        history, step, tried = self.history, stop.step, stop.node.tried
        lock = self.taken[step]
        if lock is None:  # an attempt took it
            lock = next(t for t, _ in history.reads[step] if fingerprint_of_name(t) == stop.node.second)
        source = next(s for t, s in history.reads[step] if t == lock)
        if source != INITIAL and self.taken[source] == lock and self._reentered(source, step, lock):
            return
        for rival in self._rival_takers(stop, lock):
            place = self._place(rival)
            state = history.states[rival]
            if state in tried or self._before_needs(*place, step):
                continue
            wakers = [s for t, s in history.reads[rival] if t != lock and s != INITIAL]
            if any(history.needs(s, step) for s in wakers):
                continue
            writes = tuple(dict.fromkeys((lock, *history.writes[rival])))
            extra = HypotheticalEvent(place[0], ((lock, source),), writes)
            needed, guess = [source, *wakers], self._is_guess(rival, lock)
            wanted = self.asking.ask(stop, state, [place], needed, (extra,), guess)
            if wanted is not None:
                yield wanted
            elif wakers:
                tried.discard(state)  # another notification may wake it
        for thread, op, target in history.pending:
            if target == lock and op in (Op.ACQUIRE, Op.RMW):
                yield from self._blocked_taker(stop, thread, lock, source)

    def _reentered(self, source: int, step: int, lock: Any) -> bool:
        """Whether the lock was acquired again by its holder (semaphores have none)."""
        return self.history.numbers[source] == self.history.numbers[step] and (
            self.history.acquires[source] == self.history.acquires[step] == lock
        )

    def _rival_takers(self, stop: Decision, lock: Any) -> list[StepIndex]:
        """For each thread its next acquire of the lock, and the steps that failed to acquire it because ``stop.step``
        held it.

        A thread's later acquires need its next one, which comes after ``stop.step`` or in its place.
        """
        history, step = self.history, stop.step
        rivals = []
        for thread, steps in self._lockers.of(lock).items():
            following = self._lockers.first_from(steps, thread, stop.past[thread])
            if following < len(steps) and steps[following] != step:
                rivals.append(steps[following])
        rivals += [j for j in history.readers[step] if self.taken[j] != lock and (lock, step) in history.reads[j]]
        return [j for j in rivals if self._would_take(j, lock)]

    def _would_take(self, step: int, lock: Any) -> bool:
        """Whether a step that reads the lock would acquire it if it was free. In runs without marks of attempts any
        read counts."""
        history = self.history
        return lock in history.writes[step] or step in history.attempts or not history.attempts

    def _blocked_taker(self, stop: Decision, thread: int, lock: Any, source: StepIndex) -> Iterator[CandidateSchedule]:
        """The acquire of a thread that waits for the lock at the end of the run; after a wait on a condition only once
        it is notified."""
        history = self.history
        position, state = len(history.threads[thread]), history.final_states[thread]
        if state in stop.node.tried or self._before_needs(thread, position, stop.step):
            return
        extra = HypotheticalEvent(thread, ((lock, source),), (lock,))
        for wakers in self._possible_wakers(thread):
            if any(history.needs(waker, stop.step) for waker in wakers):
                continue
            place = [(thread, position)]
            wanted = self.asking.ask(stop, state, place, [source, *wakers], (extra,))
            if wanted is not None:
                yield wanted
            elif wakers:
                stop.node.tried.discard(state)

    def _possible_wakers(self, thread: int) -> list[list[StepIndex]]:
        """The steps that may wake a thread that is blocked before an acquire; [[]] if it does not wait on a
        condition."""
        history = self.history
        last = history.threads[thread][-1] if history.threads[thread] else -1
        conditions = [t for t, _ in history.reads[last] if kind_of(t) is Kind.CONDITION] if last >= 0 else []
        if not conditions or not any(lock in history.writes[last] for _, lock in history.frees):
            return [[]]
        notifications = [j for j in history.looks[conditions[0]] if history.ops[j] in (Op.NOTIFY, Op.NOTIFY_ALL)]
        return [[j] for j in notifications if any(t not in history.looks for t in history.writes[j])]

    # -- sources ------------------------------------------------------------------------------------------------------

    def _other_sources(self, stop: Decision) -> Iterator[CandidateSchedule | None]:
        """Every other combination of writes that the step might read from."""
        yield from self._other_combinations(stop)
        yield from self._nearly_shown(stop, self.history.reads[stop.step])

    def _other_combinations(self, stop: Decision) -> Iterator[CandidateSchedule | None]:
        history, step, node = self.history, stop.step, stop.node
        asked = history.reads[step]
        choices = [self.sources.of(step, target, present) for target, present in asked]
        place = self._place(step)
        for sources in self._combinations([target for target, _ in asked], choices):
            yield None
            answer = answer_of([self.walk.print_of(s) for s in sources])
            if answer in node.tried:
                continue
            reads = tuple((target, s) for (target, _), s in zip(asked, sources, strict=True))
            effects = self._effects(step, reads)
            for writes in effects:
                extras = (HypotheticalEvent(place[0], reads, writes),)
                guess = len(effects) > 1
                wanted = self.asking.ask(stop, answer, [place], list(sources), extras, guess)
                if wanted is not None:
                    yield wanted
                    break

    # -- sources, by the forms of steps -------------------------------------------------------------------------------

    def _may_differ(self, stop: Decision, forms: OtherForms) -> bool:
        """Whether a step may have other reads: mostly it has not, since it needs each write that it could read from."""
        step, tried = stop.step, stop.node.tried
        reads = self.history.reads[step]
        if step in forms.several:
            if not all(answer_of(reading.prints) in tried for reading in forms.of(step)):
                return True
        elif any(len(self.sources.of(step, target, present)) > 1 for target, present in reads):
            return True
        if self._contested is None:
            self._contested = self._contested_targets(forms)
        return any(target in self._contested for target, _ in reads)

    def _contested_targets(self, forms: OtherForms) -> set[Any]:
        """The targets that steps might write which do not in the run, or not before others that they need now."""
        history, data_steps = self.history, forms.data_steps
        found = {target for _, op, target in history.pending if op in (Op.ACQUIRE, Op.RMW)}
        found |= self.lockable | forms.written()
        found |= {target for step in history.attempts for target, _ in history.reads[step]}
        for target, steps in history.writers.items():
            if any(history.reads[step] and step not in data_steps for step in steps):
                found.add(target)
        return found

    def _other_readings(self, stop: Decision, forms: OtherForms) -> Iterator[CandidateSchedule | None]:
        """Every other combination of reads of a step, also from steps in other forms than in the run."""
        history, step, place = self.history, stop.step, self._place(stop.step)
        if step in forms.several:
            for reading in forms.of(step):
                if answer_of(reading.prints) not in stop.node.tried:
                    yield None
                    yield from self._ask_reading(stop, reading, [place])
        else:
            yield from self._other_combinations(stop)
        for rival, form in dict.fromkeys(
            [pair for target, _ in history.reads[step] for pair in forms.that_write(target)]
        ):
            if not self._can_be_before(stop, rival, form):
                continue
            yield None
            extra = HypotheticalEvent(history.numbers[rival], form.reads, form.writes)
            places, needed = [self._place(rival), place], [source for _, source in form.reads]
            for reading in forms.after(step, rival, form):
                yield from self._ask_reading(stop, reading, places, (extra,), needed, form)
        yield from self._nearly_shown(stop, history.reads[step])

    def _can_be_before(self, stop: Decision, rival: StepIndex, form: Reading) -> bool:
        history, step = self.history, stop.step
        thread, position = self._place(rival)
        return (
            thread != history.numbers[step]
            and stop.past[thread] <= position
            and not self._before_needs(*self._place(step), rival)
            and not self._before_needs(thread, position, step)
            and not any(source != INITIAL and history.needs(source, step) for _, source in form.reads)
        )

    def _ask_reading(
        self,
        stop: Decision,
        reading: Reading,
        places: list[tuple[int, int]],
        before: tuple[HypotheticalEvent, ...] = (),
        needed: Sequence[StepIndex] = (),
        form: Reading = NOTHING,
    ) -> Iterator[CandidateSchedule]:
        """Ask whether the step, at the last of the places, can have this ``reading`` after the steps ``before``, whose
        form is ``form`` and which need ``needed``."""
        node, answer, exact = stop.node, answer_of(reading.prints), reading.exact and form.exact
        guess = 0 if exact else hash((answer, reading.sure, reading.writes, form.sure, form.writes))
        if answer in node.tried or guess in node.guesses:
            return
        base = len(self.history.numbers)
        sources = [*needed, *(source for _, source in reading.reads if source < base)]
        extra = HypotheticalEvent(places[-1][0], reading.reads, reading.writes)
        wanted = self.asking.ask(stop, answer, places, sources, (*before, extra))
        if exact:
            if wanted is not None:
                yield wanted
            return
        node.guesses |= {guess}
        if wanted is None:
            node.tried.discard(answer)  # it may be possible in another form
        else:
            yield replace(wanted, above=self._answers_above(stop))

    def _answers_above(self, stop: Decision) -> int:
        """A hash of this run's answers to the nodes before."""
        hashes, stops = self._hashes, self.walk.stops
        while len(hashes) <= stop.number:
            above = stops[len(hashes) - 1]
            hashes.append(hash((hashes[-1], self.walk.actual_answer(above.node, above.step))))
        return hashes[stop.number]

    def _combinations(self, targets: list[Any], choices: list[list[StepIndex]]) -> Iterator[tuple[StepIndex, ...]]:
        """Combinations of one choice for each target. Targets with the same writers have the same source: a step that
        reads them sees the same writer's values."""
        if prod(map(len, choices)) > _FEW:
            writers = self.history.writers
            grouped: dict[tuple[tuple[StepIndex, ...], tuple[StepIndex, ...]], list[int]] = {}
            for i, (target, each) in enumerate(zip(targets, choices, strict=True)):
                grouped.setdefault((tuple(writers.get(target, ())), tuple(each)), []).append(i)
            if len(grouped) < len(targets):
                place_of = {i: group for group, members in enumerate(grouped.values()) for i in members}
                order = [place_of[i] for i in range(len(targets))]
                for combination in self._capped([[*each] for _, each in grouped]):
                    yield tuple([combination[group] for group in order])
                return
        yield from self._capped(choices)

    def _capped(self, choices: list[list[StepIndex]]) -> Iterator[tuple[StepIndex, ...]]:
        if prod(map(len, choices)) > _COMBINATIONS:
            self.tally.capped += 1
        yield from islice(product(*choices), _COMBINATIONS)

    def _effects(self, step: int, reads: tuple[Read, ...]) -> list[tuple[Any, ...]]:
        """The targets that the step would write with these reads, one tuple for each possibility. A try-lock acquires a
        free lock and does not change a held one."""
        history, writes = self.history, self.history.writes[step]
        open_question = [
            (target, source)
            for target, source in reads
            if (target in self.lockable or step in history.attempts) and self._would_take(step, target)
        ]
        if not open_question:
            return [writes]
        target, source = open_question[0]
        without = tuple(w for w in writes if w != target)
        if target not in self.lockable or target in self.counted:
            return [(*without, target), without]
        free = source == INITIAL or (source, target) in history.frees
        if not free:
            return [without]
        if step in history.attempts or target in writes:
            return [(*without, target)]
        return [(*without, target), without]  # without marks of attempts it may be a plain read

    def _nearly_shown(self, stop: Decision, asked: tuple[Read, ...]) -> Iterator[CandidateSchedule | None]:
        """Alternatives with a step that came after ``stop.step`` and, before it, would read other writes."""
        history, step = self.history, stop.step
        read = dict(asked)
        for rival in self._rivals(stop, read):
            yield None
            place = self._place(rival)
            changed = [t for t in read if t in history.writes[rival] or self._takes_if_free(rival, t)]
            wanted = [target for target, _ in history.reads[rival]]
            options = [
                [self._found_before(rival, present, read[target])]
                if target in changed
                else sorted(self.sources.of(rival, target, present))
                for target, present in history.reads[rival]
            ]
            writes = tuple(dict.fromkeys((*history.writes[rival], *changed)))
            guess = any(self._is_guess(rival, target) for target in changed)
            for sources in self._combinations(wanted, options):
                reads = tuple(zip(wanted, sources, strict=True))
                if any(s != INITIAL and history.needs(s, step) for _, s in reads):
                    continue
                printed = fingerprint(history.states[rival], [self.walk.print_of(s) for _, s in reads])
                yield from self._swap(
                    stop, asked, place, printed, HypotheticalEvent(place[0], reads, writes), changed, guess
                )
        for thread, op, target in history.pending:
            position = len(history.threads[thread])
            if op not in (Op.ACQUIRE, Op.RMW) or target not in read or self._before_needs(thread, position, step):
                continue
            printed = fingerprint(history.final_states[thread], [self.walk.print_of(read[target])])
            extra = HypotheticalEvent(thread, ((target, read[target]),), (target,))
            yield from self._swap(stop, asked, (thread, position), printed, extra, [target])

    def _found_before(self, rival: StepIndex, present: StepIndex, source: StepIndex) -> StepIndex:
        """The source from which a rival reads a target that it writes, right before a step that reads it from
        ``source``."""
        return present if source == rival else source

    def _is_guess(self, step: int, target: Any) -> bool:
        """Whether the result of an attempt is unknown: a counter may be high enough for several."""
        return step in self.history.attempts and (target not in self.lockable or target in self.counted)

    def _takes_if_free(self, step: int, target: Any) -> bool:
        return (
            (target in self.lockable or step in self.history.attempts)
            and any(t == target for t, _ in self.history.reads[step])
            and self._would_take(step, target)
        )

    def _rivals(self, stop: Decision, read: dict[Any, StepIndex]) -> list[StepIndex]:
        """Steps of other threads that write targets that ``stop.step`` reads (or would write them if they were free),
        and whose prints depend on their reads; without steps that have to come before it, or after it."""
        history, step = self.history, stop.step
        found: dict[StepIndex, None] = {}
        for target in read:
            if target in self.lockable:
                found.update(dict.fromkeys([j for j in history.looks.get(target, ()) if self._would_take(j, target)]))
            elif self.forms is not None and step in self.forms.data_steps:
                found.update(dict.fromkeys(self._undecided_writers(target, self.forms)))
            else:
                found.update(dict.fromkeys(self._reading_writers(target)))
        if not found:
            return []
        numbers, positions = history.numbers, history.positions
        own = numbers[step]
        needed = [*stop.past]
        history.include_before(needed, own, positions[step])
        needed[own] = len(numbers)
        near = [j for j in found if positions[j] >= needed[numbers[j]]]
        return [j for j in near if not self._before_needs(numbers[j], positions[j], step)]

    def _reading_writers(self, target: Any) -> list[StepIndex]:
        found = self._writers_that_read.get(target)
        if found is None:
            history = self.history
            found = [j for j in history.writers.get(target, ()) if history.reads[j]]
            if history.attempts:
                found += [j for j in history.looks.get(target, ()) if j in history.attempts and j not in found]
            self._writers_that_read[target] = found
        return found

    def _undecided_writers(self, target: Any, forms: OtherForms) -> list[StepIndex]:
        """Those of these steps whose forms do not decide what reads them."""
        found = self._undecided.get(target)
        if found is None:
            found = self._undecided[target] = [j for j in self._reading_writers(target) if j not in forms.data_steps]
        return found

    def _swap(
        self,
        stop: Decision,
        asked: tuple[Read, ...],
        place: tuple[int, int],
        printed: int,
        rival: HypotheticalEvent,
        changed: list[Any],
        guess: bool = False,
    ) -> Iterator[CandidateSchedule]:
        """Ask whether ``rival`` can happen, and the step read ``changed`` from it."""
        history, step = self.history, stop.step
        answer = answer_of([printed if t in changed else self.walk.print_of(s) for t, s in asked])
        if answer in stop.node.tried or place[0] == history.numbers[step]:
            return
        base = StepIndex(len(history.numbers))
        reads = tuple((t, base if t in changed else s) for t, s in asked)
        needed = [s for _, s in rival.reads] + [s for t, s in asked if t not in changed]
        places = [place, self._place(step)]
        effects = self._effects(step, reads)
        for writes in effects:
            extras = (rival, HypotheticalEvent(places[1][0], reads, writes))
            unsure = guess or len(effects) > 1
            wanted = self.asking.ask(stop, answer, places, needed, extras, unsure)
            if wanted is not None:
                yield wanted
                return

    def _sources_of_waiting(self, stop: Decision) -> Iterator[CandidateSchedule]:
        """Every possible source of a read that is blocked at the end of the run."""
        history = self.history
        thread, _, target = history.pending[stop.step]
        place = [(thread, len(history.threads[thread]))]
        for source in (INITIAL, *history.writers.get(target, ())):
            answer = self.walk.print_of(source)
            if answer not in stop.node.tried:
                extra = HypotheticalEvent(thread, ((target, source),), ())
                wanted = self.asking.ask(stop, answer, place, [source], (extra,))
                if wanted is not None:
                    yield wanted
