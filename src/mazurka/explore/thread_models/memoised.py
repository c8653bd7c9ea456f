"""Elided executions: the steps of a run derived from the thread automata, without executing it.

The values that a thread has read determine its next step (automata.py). So a prefix can be simulated with the automata
of earlier runs: every thread takes known steps, until none has one left. If an earlier run ended with the same history
in every thread, this one would only repeat its read values, in another order. It is elided: derived as that run's
steps, put in the order in which they would have happened. If a step is not known, or no run has ended so, the run has
to be executed.

After the prefix any order will do, since it is some order of the program's; here a thread goes on as long as it can.

No run is elided where a history may not determine the next step: of programs that do what is not tracked or not
controlled, let waiting times run out, or leave by ``os._exit``. And no more is kept in mind than :data:`_MOST` steps
and runs.

A run in which every step is known, but not the combination of histories at its end, has to be made, too. If it went as
foreseen nothing is learnt from it but its end.

Cost: a run is learnt in some ten microseconds a step, elided in a few; about 300 bytes a run and 500 a step that is
new. Learning is abandoned where it takes longer than twice the runs, executed and elided, as where long runs have
little in common.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Final

from mazurka.explore.thread_models.automata import ThreadAutomata
from mazurka.explore.thread_models.compressed_runs import Record
from mazurka.explore.thread_models.learning import follow, relearn, take_in
from mazurka.explore.thread_models.simulator import Simulator, UnexploredTransition
from mazurka.program.protocol import FailureKind, Run, Step

#: How many steps of threads, and runs, are kept in mind.
_MOST: Final = 200_000

#: Seconds that learning may always take, and its limit as a multiple of the runs' time.
_FREE: Final = 2.0
_WORTH: Final = 2.0

#: Seconds of learning all runs again in one go.
_READING: Final = 0.1

#: How many runs are written to the journal.
_TOLD: Final = 5_000


class _Stopped(Exception):
    """A thread that is to move can't, for all that is known."""


class MemoisedExecutions:
    """Learns from runs, and derives others; ``elided`` counts these."""

    def __init__(self) -> None:
        self.learns = True  # whether it needs runs, with the values read and written
        self.elided = 0
        self._behaviour: ThreadAutomata | None = ThreadAutomata()
        self._behaviour.thread("0")
        self._foreseen: tuple[tuple[str, ...], tuple[int, ...]] | None = None  # the next run's threads, and its end
        self._made = 0  # runs that were learnt from
        self._running = 0.0  # seconds that these took
        self._seconds = 0.0  # of learning and deriving

    def stop(self) -> None:
        """Give no execution from now on."""
        self.learns, self._behaviour = False, None

    def share_state(self, other: MemoisedExecutions) -> None:
        """Know what another knows, and learn no more."""
        self.learns, self._behaviour = False, other._behaviour

    def learn(self, run: Run) -> bytes:
        """Learn from a run; returns the record of it for :meth:`recall` in a resumed search, if there is one."""
        begun = perf_counter()
        behaviour, foreseen, self._foreseen = self._behaviour, self._foreseen, None
        if behaviour is None or not self.learns or run.divergence is not None or run.truncated:
            return b""
        left = any(failure.kind is FailureKind.EXIT for failure in run.failures)
        if left or run.expired or run.untracked or run.uncontrolled:
            self.stop()
            return b""
        self._made += 1
        self._running += run.seconds
        if foreseen is not None and run.schedule() == foreseen[0]:
            behaviour.note(run, foreseen[1])
        else:
            take_in(behaviour, run)
            relearn(behaviour, _READING)
        self._seconds += perf_counter() - begun
        if len(behaviour.moments) + len(behaviour.records) > _MOST or not self._is_worth_it():
            self.stop()
        return behaviour.records[-1].packed.content if len(behaviour.records) <= _TOLD else b""

    def _is_worth_it(self) -> bool:
        runs = self._running * (1 + self.elided / self._made)
        return not runs or self._seconds <= _FREE + _WORTH * runs

    def recall(self, known: Iterable[bytes]) -> None:
        """Learn from a record of the saved search."""
        behaviour = self._behaviour
        if behaviour is not None:
            for content in known:
                behaviour.recall(content, -1, "")
            relearn(behaviour)

    def known(self) -> list[bytes]:
        """All that there is to recall."""
        records = [] if self._behaviour is None or not self.learns else self._behaviour.records[:_TOLD]
        return [record.packed.content for record in records]

    def execution_of(self, prefix: tuple[str, ...]) -> Run | None:
        """The run that a plan with this prefix would make; None if that is not known."""
        begun = perf_counter()
        try:
            return self._execution_of(prefix)
        finally:
            self._seconds += perf_counter() - begun

    def _execution_of(self, prefix: tuple[str, ...]) -> Run | None:
        behaviour, self._foreseen = self._behaviour, None
        if behaviour is None or not behaviour.records or behaviour.is_behind():
            return None
        try:
            stage = _Stage(behaviour)
            for name in prefix:
                stage.point(behaviour.thread_numbers[name])
            stage.go_on()
        except (_Stopped, UnexploredTransition, KeyError):
            return None
        ended = tuple(stage.at)
        if stage.may_mislead(ended):
            return None
        record = behaviour.ended.get(ended)
        if record is None:
            self._foreseen = tuple([behaviour.threads[thread] for thread in stage.passed]), ended
            return None
        if record.noticed is None and follow(behaviour, record):
            return self._execution_of(prefix)  # more has become known
        self.elided += 1
        return _reordered(record, behaviour, stage.order)


class _Stage(Simulator):
    """Threads that take known steps."""

    def __init__(self, behaviour: ThreadAutomata) -> None:
        super().__init__(behaviour, classes=True)
        self.order: list[int] = []  # the threads that made steps
        self.passed: list[int] = []  # those that passed points
        self.last = 0
        self.memory = behaviour.initial[:]
        self.at = self._first_moments(self.memory)

    def point(self, thread: int) -> None:
        """A thread passes the point it stands before."""
        if not self._can_pass(thread):
            raise _Stopped
        self.last = thread
        self.passed.append(thread)
        self._pass(self.at, self.memory, thread)

    def go_on(self) -> None:
        """All enabled threads go on, until none is left that the program's end waits for."""
        while not self._is_over():
            movers = [self.last, *range(len(self.at))]
            thread = next(filter(self._can_pass, movers), None)
            if thread is None:
                return
            self.point(thread)

    def _can_pass(self, thread: int) -> bool:
        if thread >= len(self.at) or self.at[thread] < 0:
            return False
        moment = self.behaviour.moments[self.at[thread]]
        return (
            moment.point is True
            and not moment.done
            and moment.enabled(self.memory)
            and moment.move(self.memory) is not None
        )

    def _is_over(self) -> bool:
        every, daemons = self.behaviour.moments, self.behaviour.daemons
        return all(number < 0 or every[number].done or thread in daemons for thread, number in enumerate(self.at))

    def _apply(self, moments: list[int], memory: list[int], thread: int) -> None:
        self.order.append(thread)
        super()._apply(moments, memory, thread)


def _reordered(record: Record, behaviour: ThreadAutomata, order: list[int]) -> Run:
    """The run of a record, its threads' steps put in another order; thread-local steps go with the next."""
    run = record.packed.run()
    steps: dict[int, list[int]] = {behaviour.thread_numbers[name]: [] for name in run.tasks}
    numbers = [behaviour.thread_numbers[name] for name in run.tasks]
    for index in range(len(run.log) - 1, -1, -1):
        steps[numbers[run.log[index].task]].append(index)
    log: list[Step] = []
    noticed = record.noticed or 0
    for thread in order:
        waiting = steps[thread]
        while True:
            index = waiting.pop()
            log.append(run.log[index])
            if noticed >> index & 1:
                break
    for waiting in steps.values():
        log += [run.log[index] for index in reversed(waiting)]
    run.log = log
    run.choices = []
    return run
