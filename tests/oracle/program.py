"""A small program behind the protocol the explorers speak, by interpretation.

Points are as :mod:`mazurka.program.protocol` defines them: reads and writes of variables, lock and try-lock attempts,
the release of a lock that some thread tries to take. Everything else is done as early as possible: forks (the child
runs to its first point at once), joins, releases, waits and notifications (which happen under their lock). Relaxed
memory is encoded as in :mod:`mazurka.program.memory`.
"""

from __future__ import annotations

import random
from typing import Any

from tests.oracle.language import SmallProgram
from tests.oracle.machine import RUNNING, Machine, Mover

from mazurka.program.memory import MemoryModel, flushed_target, flusher, store_target
from mazurka.program.protocol import (
    Access,
    Blocked,
    BlockedThread,
    Choice,
    Divergence,
    Failure,
    FailureKind,
    Plan,
    Program,
    Run,
    Step,
    TailPolicy,
)
from mazurka.program.runtime.policy import Pending, make_policy
from mazurka.trace.event import READS, Location, Op
from mazurka.trace.ids import ThreadIndex
from mazurka.trace.targets import FLUSHED, INVOKED

_POINTS = frozenset({"read", "write", "lock", "relock", "try", "down", "up", "trydown", "update", "compound", "call"})


def name_of(t: int) -> str:
    return "0" if t == 0 else f"0.{t}"


class Queues:
    """The state of a program's store buffers that is needed for a log in the encoding of program/memory.py."""

    def __init__(self, model: MemoryModel, threads: int) -> None:
        self.model = model
        self.names: dict[Mover, str] = {}  # by queue
        self.stored: dict[Mover, int] = {}  # by queue: stores so far
        self.arrived: dict[Mover, int] = {}  # ... and those of them that have reached memory
        self.unsure: list[dict[str, tuple[Mover, int]]] = [
            {} for _ in range(threads)
        ]  # latest stores, maybe on their way

    def store(self, t: int, place: str) -> tuple[Mover, int]:
        queue = (t, "" if self.model is MemoryModel.TSO else place)
        if queue not in self.names:
            number = 0 if self.model is MemoryModel.TSO else 1 + sum(owner == t for owner, _ in self.names)
            self.names[queue] = flusher(name_of(t), number)
        number = self.stored[queue] = self.stored.get(queue, 0) + 1
        self.unsure[t][place] = queue, number
        return queue, number

    def know(self, t: int, queue: Mover, number: int) -> None:
        """``t`` has seen that a store has arrived, and so all before it in the queue."""
        self.unsure[t] = {p: s for p, s in self.unsure[t].items() if s[0] != queue or s[1] > number}

    def owed(self, t: int) -> list[tuple[Mover, int]]:
        """The last of each queue's stores that the thread does not know to have arrived."""
        return list(dict(self.unsure[t].values()).items())

    def has_arrived(self, queue: Mover, number: int) -> bool:
        return self.arrived.get(queue, 0) >= number


def _target(target: tuple[Any, ...]) -> tuple[Any, ...]:
    return ("thread", name_of(target[1])) if target[0] == "thread" else target


class Stepper:
    """A machine that moves from point to point and logs its steps."""

    def __init__(
        self, program: SmallProgram, joint: bool = False, marked: bool = True, model: MemoryModel = MemoryModel.SC
    ) -> None:
        self.program = program
        self.machine = Machine(program, model)
        self.relaxed = model is not MemoryModel.SC
        self.queues = Queues(model, len(program.code))
        self.joint = joint  # whether waking up and taking the lock again are one step
        self.marked = marked  # whether attempts that do not wait say so
        self.log: list[Step] = []
        self.tasks: list[Mover] = [0]

    def begin(self) -> None:
        self._run_on(0)
        self.settle()

    def name_of(self, t: Mover) -> str:
        return name_of(t) if isinstance(t, int) else self.queues.names[t]

    def waits(self, name: str) -> bool:
        """Whether there is a thread, or store buffer, of this name that has not ended."""
        there = [t for t in self.tasks if self.name_of(t) == name]
        return any(isinstance(t, tuple) or self.machine.status[t] == RUNNING for t in there)

    def is_point(self, t: Mover) -> bool:
        if isinstance(t, tuple):
            return True
        instruction = self.machine.pending(t)
        if self.relaxed and (instruction[0] == "write" or self.must_drain(t)):
            return False
        if instruction[0] == "unlock":
            return instruction[1] in self.program.looked_at
        if instruction[0] == "wait":
            return self.program.conditions[instruction[1]] in self.program.looked_at
        return instruction[0] in _POINTS

    def must_drain(self, t: int) -> bool:
        """Whether ``t`` has yet to see its stores arrive before it can go on."""
        return bool(self.queues.unsure[t]) and self.machine.pending(t)[0] not in ("read", "write")

    def enabled(self, t: Mover) -> bool:
        if isinstance(t, tuple):
            return self.queues.stored[t] > self.queues.arrived.get(t, 0)
        if self.must_drain(t):
            return not self.machine.buffers[t]
        return self.machine.enabled(t)

    def at_points(self) -> list[Mover]:
        """Threads that stand before a point they can pass, ascending by birth."""
        return [t for t in self.tasks if self.enabled(t) and self.is_point(t)]

    def before(self, t: Mover) -> tuple[Op, tuple[Any, ...]]:
        """The operation that ``t`` would do now."""
        state = self.machine.freeze()
        op, target, _, _ = self.machine.move(t)
        self.machine.thaw(state)
        return op, _target(target)

    def advance(self, t: Mover) -> None:
        """Pass the point ``t`` stands before and run everything that needs no decision."""
        if isinstance(t, tuple):
            self._flush(t)
        else:
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
                if isinstance(t, int) and self.enabled(t) and not self.is_point(t):
                    self._run_on(t)
                    moved = True

    def _run_on(self, t: int) -> None:
        while self.enabled(t) and not self.is_point(t):
            self._perform(t, False)

    def _log(self, t: Mover, *step: Any) -> None:
        self.log.append(Step(self.tasks.index(t), *step))

    def _flush(self, queue: tuple[int, str]) -> None:
        op, target, value, _ = self.machine.move(queue)
        name = self.queues.names[queue]
        number = self.queues.arrived[queue] = self.queues.arrived.get(queue, 0) + 1
        self._log(queue, op, target, 0, True, value, (Access(Op.WRITE, flushed_target(name, number)),))
        if self.queues.stored[queue] > number:
            self._take(queue, number + 1)

    def _take(self, queue: Mover, number: int) -> None:
        """The queue turns to a store."""
        self._log(queue, Op.READ, store_target(self.queues.names[queue], number), 0, False)

    def _drain(self, t: int, site: int) -> None:
        """See that all stores have arrived."""
        owed = self.queues.owed(t)
        for queue, number in owed:
            self.queues.know(t, queue, number)
        more = tuple(Access(Op.READ, flushed_target(self.queues.names[queue], number)) for queue, number in owed)
        self._log(t, Op.FENCE, ("fence",), site, False, None, more)

    def _store(self, t: int, site: int) -> None:
        _, (_, place), value, _ = self.machine.move(t)
        queue, number = self.queues.store(t, place)
        if queue not in self.tasks:
            self.tasks.append(queue)
        self._log(t, Op.WRITE, store_target(self.queues.names[queue], number), site, False, value)
        if self.queues.has_arrived(queue, number - 1):
            self._take(queue, number)

    def _read_own(self, t: int, site: int, queue: Mover, number: int) -> None:
        """Look whether the own store to a location has arrived: if not, the read returns its value."""
        arrived = self.queues.has_arrived(queue, number)
        value = None
        if arrived:
            self.queues.know(t, queue, number)
        else:
            value = self.machine.move(t)[2]
        self._log(t, Op.READ, flushed_target(self.queues.names[queue], number), site, True, value)

    def _perform(self, t: int, point: bool) -> None:
        machine = self.machine
        site = t * 1000 + machine.pc[t] + 1
        if self.relaxed:
            if self.must_drain(t):
                return self._drain(t, site)
            if machine.pending(t)[0] == "write":
                return self._store(t, site)
            own = self.queues.unsure[t].get(machine.read_place(t) or "")
            if own is not None:
                return self._read_own(t, site, *own)
        return self._move(t, point)

    def _move(self, t: int, point: bool) -> None:
        machine = self.machine
        instruction, site = machine.pending(t), t * 1000 + machine.pc[t] + 1
        op, target, value, more = machine.move(t)
        if self.joint and instruction[0] == "wake":
            return
        if self.joint and instruction[0] == "relock":
            more = (*more, Access(Op.READ, ("wake", t, machine.waits[t])))
        if not self.marked and instruction[0] in ("try", "trydown"):
            more = ()
        self._log(t, op, _target(target), site, point, value, more)
        if instruction[0] == "fork":
            child = instruction[1]
            self.tasks.append(child)
            self.log.append(Step(len(self.tasks) - 1, Op.BEGIN, ("thread", name_of(child)), 0, False))
            self._run_on(child)


class OracleProgram(Program):
    """Implements :class:`mazurka.program.protocol.Program`. ``run.result`` is ``(final, reads)`` as in the
    enumeration."""

    def __init__(
        self, program: SmallProgram, joint: bool = False, marked: bool = True, model: MemoryModel = MemoryModel.SC
    ) -> None:
        self.program = program
        self.joint = joint
        self.marked = marked
        self.model = model
        self.executions = 0

    def execute(self, plan: Plan) -> Run:
        self.executions += 1
        stepper = Stepper(self.program, self.joint, self.marked, self.model)
        stepper.begin()
        scheduler = _Scheduler(plan)
        choices: list[Choice] = []
        divergence = None
        cursor, current = 0, 0
        while enabled := stepper.at_points():
            indexes = [stepper.tasks.index(t) for t in enabled]
            if cursor < len(plan.prefix):
                wanted = next((t for t in enabled if stepper.name_of(t) == plan.prefix[cursor]), None)
                if wanted is None and plan.strict:
                    name, actual = plan.prefix[cursor], f"enabled: {enabled}"
                    divergence = Divergence(cursor, f"thread {name} moves", actual, waits=stepper.waits(name))
                    break
                chosen = wanted if wanted is not None else scheduler.choose(stepper, enabled, current, cursor)
            else:
                chosen = scheduler.choose(stepper, enabled, current, cursor)
            if len(enabled) > 1:
                choices.append(Choice(cursor, stepper.tasks.index(chosen), tuple(indexes)))
            stepper.advance(chosen)
            current, cursor = chosen, cursor + 1
        else:
            if cursor < len(plan.prefix) and plan.strict:
                name = plan.prefix[cursor]
                divergence = Divergence(cursor, f"thread {name} moves", "the run is over", waits=stepper.waits(name))
        return self._run(stepper, choices, divergence)

    def _run(self, stepper: Stepper, choices: list[Choice], divergence: Divergence | None) -> Run:
        machine = stepper.machine
        run = Run([stepper.name_of(t) for t in stepper.tasks], stepper.log, choices, divergence=divergence)
        run.first = {("var", name): value for name, value in self.program.initial.items()}
        for step in stepper.log:
            for target in (step.target, *[access.target for access in step.more]):
                if target[0] == "var":
                    run.first.setdefault(target, 0)
        for t in machine.born():
            if machine.failed[t]:
                place = Location("oracle", t)
                text = machine.failed[t]
                run.failures.append(Failure(FailureKind.ASSERTION, text, name_of(t), place, text, step=len(run.log)))
        if divergence is None:
            self._end(stepper, run)
        else:
            run.blocked = self._stopped(stepper)
        return run

    def _end(self, stepper: Stepper, run: Run) -> None:
        machine = stepper.machine
        run.blocked, run.idle = self._stopped(stepper), True
        threads = [(i, t) for i, t in enumerate(stepper.tasks) if isinstance(t, int)]
        run.daemons = tuple([ThreadIndex(i) for i, t in threads if t - 1 in self.program.daemons])
        if machine.is_stuck():
            waiting = tuple(
                BlockedThread(run.tasks[b.task], str(b.target), None, Location("oracle", b.site)) for b in run.blocked
            )
            run.failures.append(
                Failure(FailureKind.DEADLOCK, "deadlock", waiting[0].thread, waiting[0].location, waiting=waiting)
            )
        run.result = (machine.final(), self._reads(stepper))

    def _stopped(self, stepper: Stepper) -> list[Blocked]:
        """Who stands before something that can't be passed now."""
        machine, found = stepper.machine, []
        for index, t in enumerate(stepper.tasks):
            if (
                isinstance(t, int)
                and machine.status[t] == RUNNING
                and not stepper.enabled(t)
                and not machine.buffers[t]
            ):
                op, target = self._blocked(machine, t)
                site, point = t * 1000 + machine.pc[t] + 1, stepper.is_point(t)
                found.append(Blocked(index, op, target, site, point=point))
        return found

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
            told = kind in ("lock", "sem", FLUSHED) and step.value is not None
            t = stepper.tasks[step.task]
            if kind == INVOKED:
                rows[int(t)].append(step.value[4])
            elif isinstance(t, int) and (told or kind == "var" and READS[step.op]):
                rows[t].append(step.value)
                rows[t] += [access.value for access in step.more if READS[access.op] and access.target[0] == "var"]
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
        self.policy = make_policy(plan)
        self.rng = random.Random(plan.seed)
        self.priorities: dict[Mover, float] = {}
        spread = range(1, max(plan.length, plan.changes + 1) + 1)
        self.drops = set(self.rng.sample(spread, plan.changes)) if plan.tail is TailPolicy.PCT else set()

    def choose(self, stepper: Stepper, enabled: list[Mover], current: Mover, cursor: int) -> Mover:
        if self.policy is not None:
            return enabled[self.policy.choose([Pending(stepper.name_of(t), *stepper.before(t)) for t in enabled])]
        match self.plan.tail:
            case TailPolicy.STAY:
                if current in enabled or not self.plan.values:
                    return current if current in enabled else enabled[0]
                order = {t: number for number, t in enumerate(stepper.tasks)}
                return min(enabled, key=lambda t: (order[t] <= order.get(current, -1), order[t]))
            case TailPolicy.RANDOM:
                return self.rng.choice(enabled)
            case TailPolicy.PCT:
                for t in enabled:
                    self.priorities.setdefault(t, self.rng.random() + 1)
                if cursor in self.drops:
                    self.priorities[max(enabled, key=self.priorities.__getitem__)] = -float(cursor)
                return max(enabled, key=self.priorities.__getitem__)
