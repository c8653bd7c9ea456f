"""Elided executions: the steps of a run derived from those of an earlier one, without executing it.

The values that a thread has read determine its next step. So if the steps of an earlier run can be taken in the order
that a prefix asks for, each seeing the values that it saw there, the execution would only repeat these values, in
another order (labelled_runs.py). It is elided: it consists of that run's steps in that order. Otherwise the run has to
be executed.

Which run? The prefix is followed with the steps of one run; if a thread comes to see other values than it saw there,
with those of another one in which all threads have seen the values that they have seen up to here, and this one these.
At the end it has to be a run that has ended with the same values seen by every thread. Runs are found by fingerprints
of the values that their threads have seen; each is then followed from the start, so that nothing depends on these.

After the prefix any possible order will do; here a thread goes on as long as it can.

No run is elided if a history may not determine the next step: in programs with untracked or uncontrolled operations, or
timeouts that fire. At most :data:`_MOST` points of runs are kept.

Cost: a run is learnt in some four microseconds a step, elided in some ten; about 30 bytes a point, and 300 if
a thread has seen new values there.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Final

from mazurka.explore.thread_models.compressed_runs import CompressedRun
from mazurka.explore.thread_models.labelled_runs import LabelledRun
from mazurka.program.protocol import Access, Run, Step
from mazurka.trace.event import Op
from mazurka.trace.fingerprints import fingerprint_of_name
from mazurka.trace.targets import Kind, Target, kind_of

#: The most points of runs that are kept.
_MOST: Final = 2_000_000

#: How many labelled steps are at hand.
_AT_HAND: Final = 30_000

#: The most runs that are written to the journal.
_SAVED: Final = 5_000

_NOTIFYING: Final = (Op.NOTIFY, Op.NOTIFY_ALL)


class MemoisedExecutions:
    """Learns from runs, and derives others; ``elided`` counts the latter."""

    def __init__(self) -> None:
        self.learns = True  # whether it still learns from runs, which need the values read and written
        self.elided = 0
        self.latest = 0  # the number of the run last learnt, or last derived from
        self._known: _KnownRuns | None = _KnownRuns()

    def stop(self) -> None:
        """Derive no more executions."""
        self.learns, self._known = False, None

    def share_state(self, other: MemoisedExecutions) -> None:
        """Use the knowledge of another, and learn no more."""
        self.learns, self._known = False, other._known

    def learn(self, run: Run) -> bytes:
        """Learn from a run; returns the record of it for :meth:`recall` in a resumed search, if there is one."""
        known = self._known
        if known is None or not self.learns or run.divergence is not None or run.truncated:
            return b""
        if run.expired or run.untracked or run.uncontrolled:
            self.stop()
            return b""
        content, self.latest = known.add(run)
        if known.points > _MOST:
            self.stop()
        return content if len(known.packed) <= _SAVED else b""

    def recall(self, contents: Iterable[bytes]) -> None:
        """Learn from the records of a saved search."""
        if self._known is not None:
            for content in contents:
                self._known.add(CompressedRun.read(content).run())

    def known(self) -> list[bytes]:
        """The records of all runs, for :meth:`recall`."""
        records = [] if self._known is None or not self.learns else self._known.packed[:_SAVED]
        return [packed.content for packed in records]

    def execution_of(self, prefix: tuple[str, ...], like: int = 0) -> Run | None:
        """The run that a plan with this prefix would make; None if that is not known. ``like`` is the number of a run
        with much in common."""
        if self._known is None or like >= len(self._known.packed):
            return None
        try:
            execution = _MemoisedExecution(self._known, like)
            found = execution.run(prefix)
        except _Unknown:
            return None
        self.elided += 1
        self.latest = execution.number
        return found


class _KnownRuns:
    """The runs so far, found by fingerprints of what their threads have seen (:attr:`.LabelledStep.history`)."""

    def __init__(self) -> None:
        self.packed: list[CompressedRun] = []
        self.points = 0
        self.ended: dict[tuple[tuple[str, int], ...], int] = {}  # by histories of all threads: a run that ended so
        self.runs: dict[int, array[int]] = {}  # by history after a point: the runs that show it
        self.after: dict[int, dict[int, None]] = {}  # by history: those after the thread's next point
        self.histories: list[dict[str, array[int]]] = []  # by run and thread: after each point, and at the end
        self._at_hand: dict[int, LabelledRun] = {}
        self._unpacked: dict[int, Run] = {}  # of these
        self._steps = 0  # of these

    def add(self, run: Run) -> tuple[bytes, int]:
        """Add a run; returns it packed, and its number. If a run with the same histories is known: its number."""
        labelled, number = LabelledRun(run), len(self.packed)
        known = self.ended.setdefault(labelled.histories(), number)
        if known != number:
            return b"", known
        self.packed.append(CompressedRun.of(run))
        own: dict[str, array[int]] = {}
        for name, steps in zip(labelled.tasks, labelled.threads, strict=True):
            passed = [step.history for step in steps if step.point]
            own[name] = array("q", [*passed, steps[-1].history if steps else 0])
            before = fingerprint_of_name(name)
            for history in passed:
                if history not in self.runs:
                    self.runs[history] = array("l")
                    self.after.setdefault(before, {})[history] = None
                self.runs[history].append(number)
                before = history
            self.points += len(passed)
        self.histories.append(own)
        self._keep(number, labelled)
        return self.packed[number].content, number

    def labelled(self, number: int) -> LabelledRun:
        """The steps of a run."""
        found = self._at_hand.pop(number, None)
        if found is None:
            return self._keep(number, LabelledRun(self.packed[number].run()))
        self._at_hand[number] = found
        return found

    def _keep(self, number: int, labelled: LabelledRun) -> LabelledRun:
        self._at_hand[number] = labelled
        self._steps += labelled.length
        while self._steps > _AT_HAND and len(self._at_hand) > 1:
            eldest = next(iter(self._at_hand))
            self._steps -= self._at_hand.pop(eldest).length
            self._unpacked.pop(eldest, None)
        return labelled

    def run(self, number: int) -> Run:
        """A run whose labelled steps are at hand."""
        found = self._unpacked.get(number)
        if found is None:
            found = self._unpacked[number] = self.packed[number].run()
        return found

    def others(
        self, number: int, histories: dict[str, tuple[int, int]], thread: str, seeing: int | None
    ) -> Iterator[int]:
        """Runs in which all threads come to the histories of a run up to here, given with the number of points before
        them, and a thread to one that it does not come to in that run at its next point, to ``seeing`` if it is given:
        one for all that agree up to the points after."""
        points, before = histories.get(thread, (0, fingerprint_of_name(thread)))
        own = self.histories[number].get(thread, _NOTHING)
        for history in self.after.get(before, ()) if seeing is None else [seeing]:
            if history not in self.runs or len(own) > points and own[points] == history:
                continue
            wanted = {**histories, thread: (points + 1, history)}
            fewest = min([self.runs[last] for _, last in wanted.values()], key=len)
            told: set[tuple[int, ...]] = set()
            for each in fewest:
                if self._shows(each, wanted) and (then := self._after(each, wanted)) not in told:
                    told.add(then)
                    yield each

    def _after(self, number: int, histories: dict[str, tuple[int, int]]) -> tuple[int, ...]:
        """The histories of threads at their next points, or ends, which depend on what they see in between."""
        own = self.histories[number]
        return tuple([own[thread][points] for thread, (points, _) in histories.items()])

    def _shows(self, number: int, wanted: dict[str, tuple[int, int]]) -> bool:
        own = self.histories[number]
        for thread, (points, history) in wanted.items():
            shown = own.get(thread)
            if shown is None or len(shown) <= points or shown[points - 1] != history:
                return False
        return True


_NOTHING: Final[array[int]] = array("q")


class _Unknown(Exception):
    """The next step, or the end, is not known."""


class _MemoisedExecution:
    """Takes the steps of known runs in the order of a prefix."""

    def __init__(self, known: _KnownRuns, like: int) -> None:
        self.known = known
        self._follow(like)

    def run(self, prefix: tuple[str, ...]) -> Run:
        """The run that a plan with this prefix would make."""
        for name in prefix:
            if not (self._pass(name) or self._change(name)):
                raise _Unknown
        while self._go_on():
            pass
        return self._ended()

    def _follow(self, number: int, passed: Sequence[str] = ()) -> None:
        """Follow a run from the start, up to where these threads have passed points."""
        self.number, self.current = number, self.known.labelled(number)
        self.tasks = {name: task for task, name in enumerate(self.current.tasks)}
        self.memory = [*self.current.initial]
        self.at = [0] * len(self.tasks)  # by task: its steps so far
        self.order: list[int] = []  # these steps, by their numbers in the run
        self.passed: list[str] = []  # the threads that passed points, in order
        self.last: dict[str, tuple[int, int]] = {}  # by thread: its points so far, and the history after these
        self.held = dict.fromkeys(range(len(self.at)))  # tasks that stand before steps which are no points
        self._settle()
        if not all(map(self._pass, passed)):
            raise _Unknown

    def _pass(self, name: str) -> bool:
        """Let a thread pass the point it stands before, if it sees there what it sees in the run."""
        task = self.tasks.get(name, -1)
        if task < 0:
            return False
        steps, at = self.current.threads[task], self.at[task]
        if at == len(steps) or not (step := steps[at]).point:
            return False
        memory = self.memory
        for place, label in step.sees:
            if memory[place] != label:
                return False
        for place, label in step.leaves:
            memory[place] = label
        self.order.append(step.number)
        self.passed.append(name)
        self.last[name] = (self.last.get(name, (0, 0))[0] + 1, step.history)
        self.at[task] = at + 1
        self._run_on(task)
        if self.held:
            self._settle()
        return True

    def _run_on(self, task: int) -> bool:
        """Let a thread go on up to its next point, or until it has to wait; returns whether it moved."""
        steps, at, memory, order = self.current.threads[task], self.at[task], self.memory, self.order
        begun, end, waits = at, len(steps), False
        while at < end and not waits and not (step := steps[at]).point:
            for place, label in step.sees:
                if memory[place] != label:
                    if not step.waits:
                        raise _Unknown
                    waits = True
                    break
            else:
                for place, label in step.leaves:
                    memory[place] = label
                order.append(step.number)
                at += 1
        self.at[task] = at
        if waits:
            self.held[task] = None
        else:
            self.held.pop(task, None)
        return at != begun

    def _settle(self) -> None:
        """Let all threads go on whose next step is no point and has become possible."""
        while self.held and any(self._run_on(task) for task in [*self.held]):
            pass

    def _change(self, name: str) -> bool:
        """Let a thread pass its next point in another run, in which it sees there what it would see."""
        number, passed = self.number, self.passed
        for other in self.known.others(number, self.last, name, self._seeing(name)):
            try:
                self._follow(other, passed)
                if self._pass(name):
                    return True
            except _Unknown:
                continue
        if self.passed is not passed:
            self._follow(number, passed)
        return False

    def _seeing(self, name: str) -> int | None:
        """The history of a thread after its next point; None if it is not known."""
        task = self.tasks.get(name, -1)
        if task < 0 or self._is_through(task):
            return None
        count, step = self.at[task], self.current.threads[task][self.at[task]]
        return self.current.seeing(self.current.history(task, count), step, self.memory)

    def _go_on(self) -> bool:
        """Let a thread pass a point, the last one if it can; false if none can."""
        if self.passed and self._pass(self.passed[-1]):
            return True
        if self._has_ended():
            return False
        return any(self._pass(name) or self._change(name) for name in (*self.passed[-1:], *self.current.tasks))

    def _is_through(self, task: int) -> bool:
        return self.at[task] == len(self.current.threads[task])

    def _has_ended(self) -> bool:
        """Whether all threads have come to their ends in the run, and those that wait there would go on waiting."""
        memory = self.memory
        return all(map(self._is_through, range(len(self.at)))) and all(
            memory[place] == label for place, label in self.current.stuck
        )

    def _ended(self) -> Run:
        """The run of the steps taken, if a run has ended with these histories."""
        if not self._has_ended():
            history = self.current.history
            ends = sorted(
                (name, history(task, count)) for (name, task), count in zip(self.tasks.items(), self.at, strict=True)
            )
            number = self.known.ended.get(tuple(ends))
            if number is None:
                raise _Unknown
            self._follow(number, self.passed)
            if not self._has_ended():
                raise _Unknown
        return _reordered(self.known.run(self.number), self.order)


def _reordered(run: Run, order: Sequence[int]) -> Run:
    """A run with its steps in another order; those that it leaves out come with their thread's next step."""
    waiting: list[list[int]] = [[] for _ in run.tasks]
    for number, step in zip(range(len(run.log) - 1, -1, -1), reversed(run.log), strict=True):
        waiting[step[0]].append(number)
    old, log = run.log, list[Step]()
    for wanted in order:
        steps, number = waiting[old[wanted][0]], -1
        while number != wanted:
            number = steps.pop()
            log.append(old[number])
    for steps in waiting:
        log += [run.log[number] for number in reversed(steps)]
    _renumber_wakes(run.log, log)
    made = copy(run)
    made.log, made.choices = log, []
    return made


def _renumber_wakes(old: Sequence[Step], log: list[Step]) -> None:
    """Let the notifications of a log write the wake-ups of the waits that they end, each of which has a target of its
    own. In another order (``old``) it may have been another wait of the same thread."""
    wakes: dict[tuple[int, int], Access] = {}
    for number, waits in _ended_waits(old):
        wakes.update(zip(waits, filter(_is_wake, old[number].more), strict=True))
    for number, waits in _ended_waits(log) if wakes else ():
        if not all(wait in wakes for wait in waits):
            raise _Unknown
        others = [access for access in log[number].more if not _is_wake(access)]
        log[number] = log[number]._replace(more=(*others, *[wakes[wait] for wait in waits]))


def _ended_waits(log: Sequence[Step]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """The notifications of a log that wake threads, each with the waits that it ends, as thread and number."""
    if not any(step[1] in _NOTIFYING for step in log):
        return
    begun: Counter[int] = Counter()
    parked: dict[Target, list[tuple[int, int]]] = {}
    for number, (task, op, target, _, _, _, more) in enumerate(log):
        if op in _NOTIFYING:
            count = sum(map(_is_wake, more))
            ended = parked.get(target, [])[:count]
            if len(ended) < count:
                raise _Unknown
            if ended:
                del parked[target][:count]
                yield number, ended
        elif op is Op.WAIT or more:
            for each in (target,) if op is Op.WAIT else [access.target for access in more if access.op is Op.WAIT]:
                begun[task] += 1
                parked.setdefault(each, []).append((task, begun[task]))


def _is_wake(access: Access) -> bool:
    return kind_of(access.target) is Kind.WAKE
