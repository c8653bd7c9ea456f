"""The forms of steps of one run if they read from other writes of the run (forms.py)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from mazurka.causal.history import INITIAL, History, fingerprint
from mazurka.causal.question import HypotheticalEvent
from mazurka.explore.reads_from.decision_path import DecisionPath
from mazurka.explore.reads_from.feasibility import FeasibilityCheck, Tally
from mazurka.explore.reads_from.forms import NOTHING, Reading, Readings, StepForms, Unresolved, chain
from mazurka.explore.reads_from.objects import ObjectsOfRun, is_absent, is_of_object, without_objects
from mazurka.explore.reads_from.sources import PossibleSources
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import Target

#: The most readings of a step that are tried.
_READINGS: Final = 512


def _accesses(reading: Reading) -> list[tuple[Target, bool]]:
    """The targets of objects that a reading accesses, and whether it writes them."""
    found = [*[(target, False) for target, _ in reading.reads], *[(target, True) for target in reading.writes]]
    return [each for each in found if is_of_object(each[0])]


class _Alike:
    """Targets by what they have in common but for objects, and whether they are written: those of a run, those of
    readings, and those among the latter whose objects the run does not touch."""

    def __init__(self, history: History) -> None:
        self.of_run: dict[Any, dict[Target, bool]] = {}
        self.of_readings: dict[Any, dict[Target, bool]] = {}
        self.absent: dict[Any, dict[Target, bool]] = {}
        for targets, writes in ((history.looks, False), (history.writers, True)):
            for each in filter(is_of_object, targets):
                self.of_run.setdefault(without_objects(each), {})[each] = writes

    def add(self, target: Target, part: Any, writes: bool, absent: bool) -> None:
        """Note a target of a reading."""
        for table in (self.of_readings, self.absent) if absent else (self.of_readings,):
            known = table.setdefault(part, {})
            known[target] = writes or known.get(target, False)


class OtherForms:
    """The readings of a run's steps. ``unresolved`` are the forms for which the run has to wait."""

    def __init__(
        self,
        walk: DecisionPath,
        forms: StepForms,
        data_steps: Sequence[StepIndex],
        several: Sequence[StepIndex],
        asking: FeasibilityCheck,
        tally: Tally,
        sources: PossibleSources,
        objects: ObjectsOfRun,
    ) -> None:
        self.walk = walk
        self.history: History = walk.history
        self.forms = forms
        self.data_steps = frozenset(data_steps)
        self.several = dict.fromkeys(several)
        self.asking = asking
        self.tally = tally
        self.sources = sources
        self.objects = objects
        self._others: list[Reading] = []  # all but those of the run
        self._alike: _Alike | None = None  # once there is an object that the run does not touch
        self.unresolved: list[Unresolved] = []
        self._awaited: set[int] = set()
        self._readings: dict[StepIndex, list[Reading]] = {}
        self._writing: dict[Any, list[tuple[StepIndex, Reading]]] | None = None

    def of(self, step: StepIndex) -> list[Reading]:
        """The readings of a step, in any order of the run's other steps."""
        made = self._readings.get(step)
        if made is None:
            made = self._readings[step] = self._only_reading(step) or list(self._some(self._all(step)))
            for reading in made:
                self._wait_for(step, reading)
        return made

    def _only_reading(self, step: StepIndex) -> list[Reading]:
        """The reading of the run, if there is no other one; otherwise none. The run has been learnt from, so the form
        is known, unless runs contradict each other."""
        reads = self.history.reads[step]
        if self.forms.contradicted or any(len(self.sources.of(step, target, source)) > 1 for target, source in reads):
            return []
        prints = tuple([self.walk.print_of(source) for _, source in reads])
        return [Reading(reads, prints, self.history.writes[step], len(reads), True)]

    def _all(self, step: StepIndex) -> Iterator[Reading]:
        shown = dict(self.history.reads[step])
        choices: dict[Any, list[StepIndex]] = {}

        def options(target: Any) -> list[StepIndex]:
            if target not in choices:
                choices[target] = self.sources.of(step, target, shown.get(target))
            return choices[target]

        return Readings(self.forms, self.history, step, options, self.walk.print_of, self.objects.here).all()

    def compute(self) -> Iterator[None]:
        """Compute the readings of all steps, for :meth:`that_write`; yields where the caller may pause."""
        if self._writing is not None:
            return
        writing: dict[Any, list[tuple[StepIndex, Reading]]] = {}
        for step in self.several:
            for reading in self.of(step):
                if reading.reads != self.history.reads[step]:
                    for written in reading.writes:
                        writing.setdefault(written, []).append((step, reading))
            yield
        self._writing = writing

    def that_write(self, target: Any) -> list[tuple[StepIndex, Reading]]:
        """The steps with readings, other than those in the run, in which they write a target; after :meth:`compute`."""
        assert self._writing is not None
        return self._writing.get(target, [])

    def written(self) -> set[Any]:
        """The targets that steps write in these readings."""
        assert self._writing is not None
        return {*self._writing}

    def after(self, step: StepIndex, rival: StepIndex, form: Reading) -> Iterator[Reading]:
        """The readings of a step in which it reads from ``rival``, which has the form ``form``; all else is as in the
        run."""
        history, base = self.history, StepIndex(len(self.history.numbers))
        shown, printed = dict(history.reads[step]), fingerprint(history.states[rival], form.prints)

        def options(target: Any) -> list[StepIndex]:
            present = [shown[target]] if target in shown else self.sources.of(step, target, None)
            return [base, *present] if target in form.writes else present

        def print_of(source: StepIndex) -> int:
            return printed if source == base else self.walk.print_of(source)

        if step not in self.several:
            reads = tuple([(target, base if target in form.writes else source) for target, source in shown.items()])
            yield Reading(reads, tuple([print_of(source) for _, source in reads]), (), len(reads), True)
            return
        for reading in self._some(Readings(self.forms, history, step, options, print_of, self.objects.here).all()):
            if any(source == base for _, source in reading.reads):
                self._wait_for(step, reading, rival, form)
                yield reading

    def _some(self, readings: Iterator[Reading]) -> Iterator[Reading]:
        yield from islice(readings, _READINGS)
        if next(readings, None) is not None:
            self.tally.capped += 1

    def _tell_apart(self, step: StepIndex, reading: Reading, rival: StepIndex, form: Reading) -> None:
        """Note the guesses by which a reading's targets of objects that the run does not touch are different ones from
        all others: those of the run, if its accesses of them and the reading may be in one run, and of readings."""
        if rival == INITIAL and reading.reads == self.history.reads[step]:
            return
        self._others.append(reading)
        accesses = _accesses(reading)
        if self._alike is None:
            if not any(is_absent(target) for target, _ in accesses):
                return
            self._alike = _Alike(self.history)
            accesses = [each for other in self._others for each in _accesses(other)]
        alike, guesses = self._alike, self.forms.objects.guesses
        for target, writes in accesses:
            part, absent = without_objects(target), is_absent(target)
            for other, written in alike.of_run.get(part, {}).items() if absent else ():
                found = self._guesses(target, other) if writes or written else ()
                if found and self._may_meet(step, reading, rival, form, other, writes):
                    guesses.update(found)
            for other, written in (alike.of_readings if absent else alike.absent).get(part, {}).items():
                if (writes or written) and other != target:
                    guesses.update(self._guesses(target, other))
            alike.add(target, part, writes, absent)

    def _guesses(self, target: Target, other: Target) -> list[tuple[int, int]]:
        found = self.objects.guesses(target, other)
        return [] if self.forms.objects.guesses.issuperset(found) else found

    def _may_meet(
        self, step: StepIndex, reading: Reading, rival: StepIndex, form: Reading, other: Target, writes: bool
    ) -> bool:
        """Whether a run may have the reading, and one of this run's accesses of a target that conflict with it."""
        history = self.history
        accesses = [*history.writers.get(other, ()), *(history.looks.get(other, ()) if writes else ())]
        written = reading.writes if reading.exact else ()
        return any(self._probe(step, reading.reads, rival, form, written, (access,)) is not None for access in accesses)

    def _wait_for(self, step: StepIndex, reading: Reading, rival: StepIndex = INITIAL, form: Reading = NOTHING) -> None:
        """Let this run wait for the form of a reading, perhaps after a rival with the form ``form``, if some run can
        show it."""
        self._tell_apart(step, reading, rival, form)
        if reading.exact:
            return
        history, possible = self.history, self.forms.possible
        named = self.objects.named
        given = () if rival == INITIAL else tuple(chain(history.states[rival], form, named))
        targets, after = [named(target) for target, _ in reading.reads], form.exact or tuple(map(named, form.writes))
        for depth, (key, expected) in enumerate(chain(history.states[step], reading, named), reading.sure):
            asked = hash((key, *targets[:depth], after))
            if asked not in possible:
                probe = self._probe(step, reading.reads[:depth], rival, form)
                possible[asked] = probe is not None
                if probe is not None:
                    self.forms.probes.append((key, probe))
            if not possible[asked]:
                return
            if key not in self._awaited:
                self._awaited.add(key)
                self.unresolved.append(Unresolved(key, expected, given))
            given = (*given, (key, expected))

    def _probe(
        self,
        step: StepIndex,
        reads: tuple[tuple[Any, StepIndex], ...],
        rival: StepIndex,
        form: Reading,
        writes: tuple[Target, ...] = (),
        others: Sequence[StepIndex] = (),
    ) -> tuple[str, ...] | None:
        """The prefix of a run in which the step has these reads, and these other steps happen; None: there is none."""
        history, base = self.history, len(self.history.numbers)
        place = history.numbers[step], history.positions[step]
        needed = [*others, *(source for _, source in reads if source < base)]
        extra = HypotheticalEvent(place[0], reads, writes)
        if rival == INITIAL:
            return self.asking.probe([place], needed, (extra,))
        before = HypotheticalEvent(history.numbers[rival], form.reads, form.writes)
        places = [(history.numbers[rival], history.positions[rival]), place]
        return self.asking.probe(places, [*needed, *(source for _, source in form.reads)], (before, extra))
