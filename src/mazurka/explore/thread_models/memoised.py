"""Elided executions: the steps of a run derived from the thread automata, without executing it.

The values that a thread has read determine its next step (automata.py). So a prefix can be simulated with the automata
of earlier runs: every thread takes known steps, until none is left. If an earlier run ended with the same history in
every thread, this one would only repeat its read values, in another order. It is elided: it consists of that run's
steps, put in the order in which they would have happened. If a step is not known, or no run has ended with these
histories, the run has to be executed.

After the prefix any possible order will do; here a thread goes on as long as it can.

No run is elided if a history may not determine the next step: in programs with untracked or uncontrolled operations, or
timeouts that fire. At most :data:`_MOST` steps and runs are kept.

A run in which every step is known, but not the combination of histories at its end, has to be executed, too. If its
steps are the predicted ones, only its end is learnt.

Cost: a run is learnt in some ten microseconds a step, elided in a few; about 300 bytes a run and 500 a step that is
new. Learning is abandoned if it takes more than twice the time of the runs, executed and elided, as when long runs have
little in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import Final

from mazurka.explore.thread_models.automata import ThreadAutomata
from mazurka.explore.thread_models.compressed_runs import Record
from mazurka.explore.thread_models.learning import follow, relearn, take_in
from mazurka.explore.thread_models.simulator import Simulator, UnexploredTransition
from mazurka.program.protocol import Access, Run, Step
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, Target, kind_of

#: The most steps of threads, and runs, that are kept.
_MOST: Final = 200_000

#: Seconds that learning may take in any case, and its limit as a multiple of the runs' time.
_FREE: Final = 2.0
_WORTH: Final = 2.0

#: Seconds of relearning all runs in one go.
_READING: Final = 0.1

#: The most runs that are written to the journal.
_SAVED: Final = 5_000

_NOTIFYING: Final = (Op.NOTIFY, Op.NOTIFY_ALL)


class _Stopped(Exception):
    """A thread that is to move can't, as far as is known."""


class MemoisedExecutions:
    """Learns from runs, and derives others; ``elided`` counts the latter."""

    def __init__(self) -> None:
        self.learns = True  # whether it still learns from runs, which need the values read and written
        self.elided = 0
        self._behaviour: ThreadAutomata | None = ThreadAutomata()
        self._behaviour.thread("0")
        self._predicted: tuple[tuple[str, ...], tuple[int, ...]] | None = None  # the next run's threads, and its end
        self._made = 0  # runs that were learnt from
        self._running = 0.0  # the seconds that these took
        self._seconds = 0.0  # the seconds of learning and deriving

    def stop(self) -> None:
        """Derive no more executions."""
        self.learns, self._behaviour = False, None

    def share_state(self, other: MemoisedExecutions) -> None:
        """Use the knowledge of another, and learn no more."""
        self.learns, self._behaviour = False, other._behaviour

    def learn(self, run: Run) -> bytes:
        """Learn from a run; returns the record of it for :meth:`recall` in a resumed search, if there is one."""
        begun = perf_counter()
        behaviour, predicted, self._predicted = self._behaviour, self._predicted, None
        if behaviour is None or not self.learns or run.divergence is not None or run.truncated:
            return b""
        if run.expired or run.untracked or run.uncontrolled:
            self.stop()
            return b""
        self._made += 1
        self._running += run.seconds
        if predicted is not None and run.schedule() == predicted[0]:
            behaviour.note(run, predicted[1])
        else:
            take_in(behaviour, run)
            relearn(behaviour, _READING)
        self._seconds += perf_counter() - begun
        if len(behaviour.moments) + len(behaviour.records) > _MOST or not self._is_worth_it():
            self.stop()
        return behaviour.records[-1].packed.content if len(behaviour.records) <= _SAVED else b""

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
        """The records of all runs, for :meth:`recall`."""
        records = [] if self._behaviour is None or not self.learns else self._behaviour.records[:_SAVED]
        return [record.packed.content for record in records]

    def execution_of(self, prefix: tuple[str, ...]) -> Run | None:
        """The run that a plan with this prefix would make; None if that is not known."""
        begun = perf_counter()
        try:
            return self._execution_of(prefix)
        finally:
            self._seconds += perf_counter() - begun

    def _execution_of(self, prefix: tuple[str, ...]) -> Run | None:
        behaviour, self._predicted = self._behaviour, None
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
            self._predicted = tuple([behaviour.threads[thread] for thread in stage.passed]), ended
            return None
        if record.noticed is None and follow(behaviour, record):
            return self._execution_of(prefix)  # the automata have grown meanwhile
        found = _reordered(record, behaviour, stage.order)
        self.elided += found is not None
        return found


class _Stage(Simulator):
    """Threads that take known steps."""

    def __init__(self, behaviour: ThreadAutomata) -> None:
        super().__init__(behaviour, classes=True)
        self.order: list[int] = []  # the threads of the steps, in order
        self.passed: list[int] = []  # the threads that passed points, in order
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
        """All enabled threads go on as long as one can."""
        movers = [self.last, *range(len(self.at))]
        while (thread := next(filter(self._can_pass, movers), None)) is not None:
            self.point(thread)
            movers = [self.last, *range(len(self.at))]

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

    def _apply(self, moments: list[int], memory: list[int], thread: int) -> None:
        self.order.append(thread)
        super()._apply(moments, memory, thread)


def _reordered(record: Record, behaviour: ThreadAutomata, order: list[int]) -> Run | None:
    """The run of a record with its threads' steps in another order; thread-local steps come with their thread's next
    step. None if it is not known which waits the notifications end then."""
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
    try:
        _renumber_wakes(run.log, log)
    except _UnknownWaits:
        return None
    run.log = log
    run.choices = []
    return run


class _UnknownWaits(Exception):
    """A notification ends waits that no step of the log begins."""


def _renumber_wakes(old: Sequence[Step], log: list[Step]) -> None:
    """Let the notifications of a log write the wake-ups of the waits that they end, each of which has a target of its
    own. In another order (``old``) it may have been another wait of the same thread."""
    wakes: dict[tuple[int, int], Access] = {}
    for number, waits in _ended_waits(old):
        wakes.update(zip(waits, filter(_is_wake, old[number].more), strict=True))
    for number, waits in _ended_waits(log) if wakes else ():
        if not all(wait in wakes for wait in waits):
            raise _UnknownWaits
        others = [access for access in log[number].more if not _is_wake(access)]
        log[number] = log[number]._replace(more=(*others, *[wakes[wait] for wait in waits]))


def _ended_waits(log: Sequence[Step]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """The notifications of a log that wake threads, each with the waits that it ends, as thread and number."""
    begun: Counter[int] = Counter()
    parked: dict[Target, list[tuple[int, int]]] = {}
    for number, (task, op, target, _, _, _, more) in enumerate(log):
        if op in _NOTIFYING:
            count = sum(map(_is_wake, more))
            ended = parked.get(target, [])[:count]
            if len(ended) < count:
                raise _UnknownWaits
            if ended:
                del parked[target][:count]
                yield number, ended
        elif op is Op.WAIT or more:
            for each in (target,) if op is Op.WAIT else [access.target for access in more if access.op is Op.WAIT]:
                begun[task] += 1
                parked.setdefault(each, []).append((task, begun[task]))


def _is_wake(access: Access) -> bool:
    return kind_of(access.target) is Kind.WAKE
