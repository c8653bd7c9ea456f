"""A small program behind the protocol the explorers speak, by interpretation.

Points are as :mod:`mazurka.program.protocol` defines them: reads and writes of variables, lock and try-lock attempts,
the release of a lock somebody tries to take. Everything else is done as early as possible: forks (the child runs to
its first point at once), joins, releases, waits and notifications (which happen under their lock).
"""

from __future__ import annotations

import random
from typing import Any

from tests.oracle.language import SmallProgram
from tests.oracle.machine import RUNNING, Machine

from mazurka.program.protocol import (
    Access,
    Blocked,
    Choice,
    Continuation,
    Divergence,
    Failure,
    FailureKind,
    Plan,
    Run,
    Step,
    Waiting,
)
from mazurka.trace.event import Location, Op

_POINTS = frozenset({"read", "write", "lock", "relock", "try", "down", "up", "trydown"})


def name_of(t: int) -> str:
    return "0" if t == 0 else f"0.{t}"


def _target(target: tuple[Any, ...]) -> tuple[Any, ...]:
    return ("thread", name_of(target[1])) if target[0] == "thread" else target


class Stepper:
    """A machine that moves from point to point and logs what it does."""

    def __init__(self, program: SmallProgram, joint: bool = False, marked: bool = True) -> None:
        self.program = program
        self.machine = Machine(program)
        self.joint = joint  # whether waking up and taking the lock again are one step
        self.marked = marked  # whether attempts that do not wait say so
        self.log: list[Step] = []
        self.tasks: list[int] = [0]

    def begin(self) -> None:
        self._run_on(0)
        self.settle()

    def is_point(self, t: int) -> bool:
        instruction = self.machine.pending(t)
        if instruction[0] == "unlock":
            return instruction[1] in self.program.looked_at
        if instruction[0] == "wait":
            return self.program.conditions[instruction[1]] in self.program.looked_at
        return instruction[0] in _POINTS

    def at_points(self) -> list[int]:
        """Threads that stand before a point they can pass, ascending by birth."""
        return [t for t in self.tasks if self.machine.enabled(t) and self.is_point(t)]

    def advance(self, t: int) -> None:
        """Pass the point ``t`` stands before and run everything that needs no decision."""
        self._perform(t, True)
        self._run_on(t)
        self.settle()

    def settle(self) -> None:
        """Let threads go on that stand before something that is no point and has become possible (a join, a
        wake-up)."""
        moved = True
        while moved:
            moved = False
            for t in list(self.tasks):
                if self.machine.enabled(t) and not self.is_point(t):
                    self._run_on(t)
                    moved = True

    def _run_on(self, t: int) -> None:
        while self.machine.enabled(t) and not self.is_point(t):
            self._perform(t, False)

    def _perform(self, t: int, point: bool) -> None:
        machine = self.machine
        instruction, site = machine.pending(t), t * 1000 + machine.pc[t] + 1
        op, target, value, more = machine.move(t)
        if self.joint and instruction[0] == "wake":
            return
        if self.joint and instruction[0] == "relock":
            more = (*more, Access(Op.READ, ("wake", t, machine.waits[t])))
        if not self.marked and instruction[0] in ("try", "trydown"):
            more = ()
        step = Step(self.tasks.index(t), op, _target(target), site, point, value, more)
        self.log.append(step)
        if instruction[0] == "fork":
            child = instruction[1]
            self.tasks.append(child)
            self.log.append(Step(len(self.tasks) - 1, Op.BEGIN, ("thread", name_of(child)), 0, False))
            self._run_on(child)


class OracleProgram:
    """Implements :class:`mazurka.program.protocol.Program`. ``run.result`` is ``(final, reads)`` as in the
    enumeration."""

    def __init__(self, program: SmallProgram, joint: bool = False, marked: bool = True) -> None:
        self.program = program
        self.joint = joint
        self.marked = marked
        self.executions = 0

    def execute(self, plan: Plan) -> Run:
        self.executions += 1
        stepper = Stepper(self.program, self.joint, self.marked)
        stepper.begin()
        scheduler = _Scheduler(plan)
        choices: list[Choice] = []
        divergence = None
        cursor, current = 0, 0
        while enabled := stepper.at_points():
            indexes = [stepper.tasks.index(t) for t in enabled]
            if cursor < len(plan.prefix):
                wanted = next((t for t in enabled if name_of(t) == plan.prefix[cursor]), None)
                if wanted is None and plan.strict:
                    divergence = Divergence(cursor, f"thread {plan.prefix[cursor]} moves", f"enabled: {enabled}")
                    break
                chosen = wanted if wanted is not None else scheduler.choose(enabled, current, cursor)
            else:
                chosen = scheduler.choose(enabled, current, cursor)
            if len(enabled) > 1:
                choices.append(Choice(cursor, stepper.tasks.index(chosen), tuple(indexes)))
            stepper.advance(chosen)
            current, cursor = chosen, cursor + 1
        else:
            if cursor < len(plan.prefix) and plan.strict:
                divergence = Divergence(cursor, f"thread {plan.prefix[cursor]} moves", "the run is over")
        return self._run(stepper, choices, divergence)

    def _run(self, stepper: Stepper, choices: list[Choice], divergence: Divergence | None) -> Run:
        machine = stepper.machine
        run = Run([name_of(t) for t in stepper.tasks], stepper.log, choices, divergence=divergence)
        for t in stepper.tasks:
            if machine.failed[t]:
                place = Location("oracle", t)
                text = machine.failed[t]
                run.failures.append(Failure(FailureKind.ASSERTION, text, name_of(t), place, text, step=len(run.log)))
        if divergence is None:
            self._end(stepper, run)
        return run

    def _end(self, stepper: Stepper, run: Run) -> None:
        machine = stepper.machine
        for index, t in enumerate(stepper.tasks):
            if machine.status[t] == RUNNING:
                op, target = self._blocked(machine, t)
                run.blocked.append(Blocked(index, op, target, t * 1000 + machine.pc[t] + 1))
        if run.blocked:
            waiting = tuple(
                Waiting(run.tasks[b.task], str(b.target), None, Location("oracle", b.site)) for b in run.blocked
            )
            run.failures.append(
                Failure(FailureKind.DEADLOCK, "deadlock", waiting[0].thread, waiting[0].location, waiting=waiting)
            )
        run.result = (machine.final(), self._reads(stepper))

    def _blocked(self, machine: Machine, t: int) -> tuple[Op, tuple[Any, ...]]:
        match machine.pending(t):
            case ("lock", lock):
                return Op.ACQUIRE, ("lock", lock)
            case ("relock", condition):
                return Op.ACQUIRE, ("lock", self.program.conditions[condition])
            case ("down", semaphore):
                return Op.RMW, ("sem", semaphore)
            case ("wake", _):
                if self.joint:
                    return Op.ACQUIRE, ("lock", self.program.conditions[machine.pending(t)[1]])
                return Op.READ, ("wake", t, machine.waits[t])
            case ("join", other):
                return Op.JOIN, ("thread", name_of(other))
            case other:
                raise AssertionError(other)

    def _reads(self, stepper: Stepper) -> tuple[tuple[Any, ...], ...]:
        rows: list[list[Any]] = [[] for _ in self.program.code]
        for step in stepper.log:
            kind = step.target[0]
            if kind == "var" and step.op is Op.READ or kind in ("lock", "sem") and step.value is not None:
                rows[stepper.tasks[step.task]].append(step.value)
        return tuple(map(tuple, rows))

    def location(self, site: int) -> Location | None:
        return Location("oracle", site) if site else None

    def identity(self) -> str:
        return str(hash(repr((self.program.threads, self.program.main, self.program.after))))

    def close(self) -> None:
        pass


class _Scheduler:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rng = random.Random(plan.seed)
        self.priorities: dict[int, float] = {}
        spread = range(1, max(plan.length, plan.changes + 1) + 1)
        self.drops = set(self.rng.sample(spread, plan.changes)) if plan.then is Continuation.PCT else set()

    def choose(self, enabled: list[int], current: int, cursor: int) -> int:
        match self.plan.then:
            case Continuation.STAY:
                return current if current in enabled else enabled[0]
            case Continuation.RANDOM:
                return self.rng.choice(enabled)
            case Continuation.PCT:
                for t in enabled:
                    self.priorities.setdefault(t, self.rng.random() + 1)
                if cursor in self.drops:
                    self.priorities[max(enabled, key=self.priorities.__getitem__)] = -float(cursor)
                return max(enabled, key=self.priorities.__getitem__)
