"""The forms of steps of one run if they read from other writes of the run (forms.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from mazurka.causal.history import INITIAL, History, fingerprint
from mazurka.causal.question import HypotheticalEvent
from mazurka.explore.reads_from.decision_path import DecisionPath
from mazurka.explore.reads_from.feasibility import FeasibilityCheck, Tally
from mazurka.explore.reads_from.forms import NOTHING, Reading, Readings, StepForms, Unresolved, chain
from mazurka.trace.ids import StepIndex

#: The most readings of a step that are tried.
_READINGS: Final = 512

#: The possible sources of a step's read of a target, given its source in the run (None: it does not read the target).
SourcesOf = Callable[[StepIndex, Any, StepIndex | None], list[StepIndex]]


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
        sources: SourcesOf,
    ) -> None:
        self.walk = walk
        self.history: History = walk.history
        self.forms = forms
        self.data_steps = frozenset(data_steps)
        self.several = dict.fromkeys(several)
        self.asking = asking
        self.tally = tally
        self.sources = sources
        self.unresolved: list[Unresolved] = []
        self._awaited: set[int] = set()
        self._readings: dict[StepIndex, list[Reading]] = {}
        self._writing: dict[Any, list[tuple[StepIndex, Reading]]] | None = None

    def of(self, step: StepIndex) -> list[Reading]:
        """The readings of a step, in any order of the run's other steps."""
        made = self._readings.get(step)
        if made is None:
            shown = dict(self.history.reads[step])
            choices: dict[Any, list[StepIndex]] = {}

            def options(target: Any) -> list[StepIndex]:
                if target not in choices:
                    choices[target] = self.sources(step, target, shown.get(target))
                return choices[target]

            readings = Readings(self.forms, self.history, step, options, self.walk.print_of).all()
            made = self._readings[step] = list(self._some(readings))
            for reading in made:
                self._wait_for(step, reading)
        return made

    def that_write(self, target: Any) -> list[tuple[StepIndex, Reading]]:
        """The steps with readings, other than those in the run, in which they write a target."""
        if self._writing is None:
            self._writing = {}
            for step in self.several:
                for reading in self.of(step):
                    if reading.reads != self.history.reads[step]:
                        for written in reading.writes:
                            self._writing.setdefault(written, []).append((step, reading))
        return self._writing.get(target, [])

    def after(self, step: StepIndex, rival: StepIndex, form: Reading) -> Iterator[Reading]:
        """The readings of a step in which it reads from ``rival``, which has the form ``form``; all else is as in the
        run."""
        history, base = self.history, StepIndex(len(self.history.numbers))
        shown, printed = dict(history.reads[step]), fingerprint(history.states[rival], form.prints)
        if step not in self.several:
            yield Reading(((next(iter(shown)), base),), (printed,), (), 1, True)
            return

        def options(target: Any) -> list[StepIndex]:
            present = [shown[target]] if target in shown else self.sources(step, target, None)
            return [base, *present] if target in form.writes else present

        def print_of(source: StepIndex) -> int:
            return printed if source == base else self.walk.print_of(source)

        for reading in self._some(Readings(self.forms, history, step, options, print_of).all()):
            if any(source == base for _, source in reading.reads):
                self._wait_for(step, reading, rival, form)
                yield reading

    def _some(self, readings: Iterator[Reading]) -> Iterator[Reading]:
        yield from islice(readings, _READINGS)
        if next(readings, None) is not None:
            self.tally.capped += 1

    def _wait_for(self, step: StepIndex, reading: Reading, rival: StepIndex = INITIAL, form: Reading = NOTHING) -> None:
        """Let this run wait for the form of a reading, perhaps after a rival with the form ``form``, if some run can
        show it."""
        if reading.exact:
            return
        history, possible = self.history, self.forms.possible
        given = () if rival == INITIAL else tuple(chain(history.states[rival], form))
        for depth, (key, expected) in enumerate(chain(history.states[step], reading), reading.sure):
            asked = hash((key, *[target for target, _ in reading.reads[:depth]], form.exact or form.writes))
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
        self, step: StepIndex, reads: tuple[tuple[Any, StepIndex], ...], rival: StepIndex, form: Reading
    ) -> tuple[str, ...] | None:
        history, base = self.history, len(self.history.numbers)
        place = history.numbers[step], history.positions[step]
        needed = [source for _, source in reads if source < base]
        extra = HypotheticalEvent(place[0], reads, ())
        if rival == INITIAL:
            return self.asking.probe([place], needed, (extra,))
        before = HypotheticalEvent(history.numbers[rival], form.reads, form.writes)
        places = [(history.numbers[rival], history.positions[rival]), place]
        return self.asking.probe(places, [*needed, *(source for _, source in form.reads)], (before, extra))
