"""What a run would show, without making it, if every thread is going to do what it has been seen to do.

What a thread does next is determined by the values it has read so far (behaviour.py). So the way a prefix leads can be
gone through with what earlier runs have shown: every thread makes steps that are known, until nobody has one left. If
an earlier run ended with the same history in every thread, this one would only repeat its read values, in another
order. It is told instead of made: as that run's steps, put in the order in which they would have happened. Where
anything is not known, or no run has ended so, there is no telling, and the run has to be made.

After the prefix any order will do, since it is some order of the program's; here a thread goes on as long as it can.

Nothing is told where a history may not say all: of programs that do what is not tracked or not controlled, let waiting
times run out, or leave by ``os._exit``. And no more is kept in mind than :data:`_MOST` steps and runs.

A run in which every step is known, but not the combination of histories at its end, has to be made, too. If it went as
foreseen nothing is learnt from it but its end.

Cost: a run is learnt in some ten microseconds a step, told in a few; about 300 bytes a run and 500 a step that is new.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mazurka.explore.learnt.behaviour import Behaviour, Record
from mazurka.program.protocol import FailureKind, Run, Step

#: How many steps of threads, and runs, are kept in mind.
_MOST: Final = 200_000

#: How many runs are told to whoever writes down what is known.
_TOLD: Final = 5_000


class _Unknown(Exception):
    """A step that no run has shown."""


class Rehearsal:
    """Learns from runs, and tells what others would be; ``told`` so many so far."""

    def __init__(self) -> None:
        self.learns = True  # whether it wants runs, which are to tell the values read and written
        self.told = 0
        self._behaviour: Behaviour | None = Behaviour()
        self._behaviour.thread("0")
        self._foreseen: tuple[tuple[str, ...], tuple[int, ...]] | None = None  # who moves in the next run, and its end

    def stop(self) -> None:
        """Tell nothing from now on."""
        self.learns, self._behaviour = False, None

    def inherit(self, other: Rehearsal) -> None:
        """Know what another knows, and learn no more."""
        self.learns, self._behaviour = False, other._behaviour

    def learn(self, run: Run) -> bytes:
        """Keep in mind what a run has shown; gives what there is to :meth:`recall` in a later life, if anything."""
        behaviour, foreseen, self._foreseen = self._behaviour, self._foreseen, None
        if behaviour is None or not self.learns or run.divergence is not None or run.truncated:
            return b""
        left = any(failure.kind is FailureKind.EXIT for failure in run.failures)
        if left or run.expired or run.untracked or run.uncontrolled:
            self.stop()
            return b""
        if foreseen is not None and run.schedule() == foreseen[0]:
            behaviour.note(run, foreseen[1])
        else:
            behaviour.learn(run)
        if len(behaviour.moments) + len(behaviour.records) > _MOST:
            self.stop()
        return behaviour.records[-1].packed.content if len(behaviour.records) <= _TOLD else b""

    def recall(self, known: Iterable[bytes]) -> None:
        """Know what was learnt in an earlier life."""
        behaviour = self._behaviour
        if behaviour is not None:
            for content in known:
                behaviour.recall(content, -1, "")
            behaviour.relearn()

    def known(self) -> list[bytes]:
        """All that there is to recall."""
        records = [] if self._behaviour is None or not self.learns else self._behaviour.records[:_TOLD]
        return [record.packed.content for record in records]

    def tell(self, prefix: tuple[str, ...]) -> Run | None:
        """The run that a plan with this prefix would make; None if that is not known."""
        behaviour, self._foreseen = self._behaviour, None
        if behaviour is None or not behaviour.records:
            return None
        stage = _Stage(behaviour)
        try:
            for name in prefix:
                stage.point(behaviour.thread_numbers[name])
            stage.go_on()
        except (_Unknown, KeyError):
            return None
        if stage.may_mislead():
            return None
        record = behaviour.ended.get(stage.moments())
        if record is None:
            self._foreseen = tuple([behaviour.threads[thread] for thread in stage.passed]), stage.moments()
            return None
        if record.noticed is None and behaviour.follow(record):
            return self.tell(prefix)  # more has become known
        self.told += 1
        return _reordered(record, behaviour, stage.order)


class _Stage:
    """Threads that do what is known of them."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.every = behaviour.moments
        self.memory = behaviour.initial[:]
        self.at = [behaviour.root(0).number]
        self.order: list[int] = []  # the threads that made steps
        self.passed: list[int] = []  # those that passed points
        self.last = 0
        self._run_on(0)
        self._settle()

    def moments(self) -> tuple[int, ...]:
        return tuple(self.at)

    def may_mislead(self) -> bool:
        """Whether threads touched objects that may be one for all that is known."""
        things = 0
        for number in self.at:
            if number >= 0:
                things |= self.every[number].things
        return self.behaviour.company.strangers(things)

    def point(self, thread: int) -> None:
        """A thread passes the point it stands before."""
        if not self._can_pass(thread):
            raise _Unknown
        self.last = thread
        self.passed.append(thread)
        self._step(thread)
        self._run_on(thread)
        self._settle()

    def go_on(self) -> None:
        """Whoever can goes on, until nobody is left that somebody waits for."""
        while not self._is_over():
            movers = [self.last, *range(len(self.at))]
            thread = next(filter(self._can_pass, movers), None)
            if thread is None:
                return
            self.point(thread)

    def _can_pass(self, thread: int) -> bool:
        if thread >= len(self.at) or self.at[thread] < 0:
            return False
        moment = self.every[self.at[thread]]
        return (
            moment.point is True
            and not moment.done
            and moment.enabled(self.memory)
            and moment.move(self.memory) is not None
        )

    def _is_over(self) -> bool:
        daemons = self.behaviour.daemons
        return all(number < 0 or self.every[number].done or thread in daemons for thread, number in enumerate(self.at))

    def _step(self, thread: int) -> None:
        move = self.every[self.at[thread]].move(self.memory)
        if move is None:
            raise _Unknown
        for place, value in move.writes:
            self.memory[place] = value
        self.at[thread] = move.to.number
        self.order.append(thread)
        if move.forks >= 0:
            self.at += [-1] * (move.forks + 1 - len(self.at))
            self.at[move.forks] = self.behaviour.root(move.forks).number
            self._run_on(move.forks)

    def _run_on(self, thread: int) -> bool:
        """What is no point follows at once; whether anything did."""
        moved = False
        while True:
            moment = self.every[self.at[thread]]
            if moment.done or moment.point:
                return moved
            if moment.point is None:
                raise _Unknown
            if not moment.enabled(self.memory):
                return moved
            self._step(thread)
            moved = True

    def _settle(self) -> None:
        """Let all go on whose next step is no point and has become possible."""
        again = True
        while again:
            again = False
            for thread in range(len(self.at)):
                if self.at[thread] >= 0:
                    again = self._run_on(thread) or again


def _reordered(record: Record, behaviour: Behaviour, order: list[int]) -> Run:
    """The run of a record, its threads' steps put in another order; steps nobody else notices go with the next."""
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
