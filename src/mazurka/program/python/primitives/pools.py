"""Pools of threads, abstractly: each task is a thread of its own, see :mod:`.executors` for why this is exact."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Final

from mazurka.program.protocol import CountChange
from mazurka.program.python.primitives.run import Models, current
from mazurka.program.runtime.concurrency import ends_known
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import POOL_POINTS, WORKER_POINTS, Task
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, Target, kind_of


class Pool:
    """An executor, or a ``ThreadPool``, in one run."""

    def __init__(self, models: Models, workers: int) -> None:
        self.models = models
        self.workers = workers
        self.tasks: list[Task] = []  # in the order in which they were submitted
        self.exceeds = False  # more tasks may have been under way than there are workers
        self.locks: set[Target] = set()  # the locks that tasks have taken
        self.waited = False  # a task has waited for another event, or may depend on the time that others take
        self.has_limit = workers > 1 and WORKER_POINTS in models.runtime.points  # whether tasks wait for workers
        self.free = workers
        self.taken = 0  # how many tasks have taken a worker
        self._workers: Target = (Kind.SEMAPHORE.tag, models.number() if self.has_limit else "")

    def submit(self) -> bool:
        """A task is about to be submitted; returns whether it may have to wait for a worker."""
        if len(self.tasks) < self.workers or self.workers == 1 or self.has_limit:
            return False
        ended = ends_known(self.models.runtime)[1]
        if sum(each.index not in ended for each in self.tasks) < self.workers:
            return False
        self.exceeds = True
        self._look()
        if self.models.is_judged:
            self.models.runtime.need_points(WORKER_POINTS)
        return True

    def begin(self, place: int) -> None:
        """A task that may have to wait begins. It does wait if code outside the program tests the result of the run."""
        runtime, step = self.models.runtime, (Kind.TASK.tag, self.tasks[place].name)
        if self.models.is_judged:
            runtime.block(Op.READ, step, lambda: self._has_room(place))
        else:
            runtime.visit(Op.READ, step, 0, point=True)
        self.models.exceeded |= not self._has_room(place)

    def _has_room(self, place: int) -> bool:
        """Whether fewer of the tasks before one are under way than there are workers."""
        return sum(not each.done for each in self.tasks[:place]) < self.workers

    def blocks(self, op: Op, target: Target, limited: bool) -> None:
        """A task is about to pass an operation that may have to wait."""
        if op is Op.ACQUIRE and kind_of(target) is Kind.LOCK and not limited:
            if target not in self.models.futures_locks:
                self.locks.add(target)
        else:
            self.waits()

    def waits(self) -> None:
        """A task waits, or looks at the time."""
        self.waited = True
        self._look()

    def _look(self) -> None:
        if self.exceeds and self.waited:
            self.models.runtime.need_points(WORKER_POINTS)

    # -- with a limit -------------------------------------------------------------------------------------------------

    def _turn(self, place: int) -> Target:
        """The location that a task writes when it has taken a worker."""
        return (Kind.TURN.tag, self._workers[1], place)

    def take_worker(self, place: int) -> None:
        """A task waits until all tasks before it have taken a worker, and one is free."""
        runtime, worker = self.models.runtime, _Worker()
        if runtime.detail:
            runtime.names[self._workers], runtime.names[self._turn(place)] = "workers of the pool", "turns of tasks"
        if place:
            runtime.block(Op.READ, self._turn(place - 1), lambda: self.taken >= place, waiting_for=worker)
        runtime.block(Op.RMW, self._workers, lambda: self.free > 0, waiting_for=worker)
        self._change(-1)
        runtime.visit(Op.WRITE, self._turn(place), 0, None, (), False)
        self.taken += 1

    def leave_worker(self) -> None:
        """A task gives its worker back."""
        self.models.runtime.visit(Op.RMW, self._workers, 0, point=True)
        self._change(1)

    def _change(self, change: int) -> None:
        """The last step has changed the number of free workers."""
        runtime = self.models.runtime
        if runtime.relates and not (runtime.solo or runtime.aborting):  # otherwise there is no such step
            runtime.count_changes[len(runtime.log) - 1] = CountChange(self._workers, change, self.free)
        self.free += change
        runtime.record_value(self.free, whole=True)


class _Worker:
    """The wait of a task of a pool with several workers."""

    def describe(self) -> str:
        return "a free worker of the pool"

    def holder(self) -> None:
        return None


class _Handler:
    """In place of the pool, for threads that stand for one of those that CPython's pool has besides its workers: no
    task waits for a worker meanwhile, whatever such a thread waits for."""

    def blocks(self, op: Op, target: Target, limited: bool) -> None:
        """It is about to pass an operation that may have to wait."""

    def waits(self) -> None:
        """It waits, or looks at the time."""


_HANDLER: Final = _Handler()


class _Turn:
    """The wait of a task of a pool with one worker."""

    def __init__(self, before: Task) -> None:
        self._before = before

    def describe(self) -> str:
        return "the only worker of the pool"

    def holder(self) -> Task:
        return self._before


def knows_end(models: Models, task: Task) -> bool:
    """Whether the running thread knows that a task has ended."""
    return task.index in ends_known(models.runtime)[1]


def begin_task(pool: Pool, place: int, waits: bool) -> int:
    """A task's thread begins and waits for its turn; returns how many steps the run has made by then."""
    runtime = pool.models.runtime
    task = runtime.current
    pool.tasks.append(task)
    begun = len(runtime.log)
    if pool.workers == 1 and place:
        runtime.join(pool.tasks[place - 1], waiting_for=_Turn(pool.tasks[place - 1]))
    elif pool.has_limit:
        pool.take_worker(place)
    elif waits:
        pool.begin(place)
    task.pool = pool
    return begun


def end_task(pool: Pool, begun: int) -> None:
    """A task is done: give its worker back, and note whether it leaves state with it."""
    if pool.has_limit:
        pool.leave_worker()
    _note_state(pool, begun)


def _note_state(pool: Pool, begun: int) -> None:
    """Note whether the running thread has left state behind since then."""
    runtime = pool.models.runtime
    if len(contextvars.copy_context()) or _keeps_locks(runtime, runtime.current, begun):
        runtime.need_points(POOL_POINTS)


def handle(pool: Pool, work: Callable[[], None]) -> None:
    """Do work that a thread of CPython's pool besides its workers does, with all other such work: the running thread
    does this part of it only. So it must not ask for its identity, nor leave state behind, as a task."""
    runtime = pool.models.runtime
    begun = len(runtime.log)
    runtime.current.pool = _HANDLER
    try:
        work()
    finally:
        runtime.current.pool = None
    _note_state(pool, begun)


def _keeps_locks(runtime: Runtime, task: Task, begun: int) -> bool:
    held = set()
    for index, op, target, *_ in runtime.log[begun:]:
        if index == task.index and op is Op.ACQUIRE:
            held.add(target)
        elif index == task.index and op is Op.RELEASE:
            held.discard(target)
    return bool(held)


def finish(runtime: Runtime, learns: bool) -> None:
    """The threads of a run have ended: test whether its results are also those of CPython's executors. ``learns``: the
    run is part of a search, which begins again if they are not."""
    models = current()
    if models is None or not models.pools:
        return
    shared = any(pool.exceeds and _are_locks_shared(runtime, pool) for pool in models.pools)
    if learns and (shared or (models.exceeded and runtime.failures)):
        runtime.need_points(WORKER_POINTS)
    if models.exceeded or POOL_POINTS in runtime.points:
        runtime.failures.clear()  # the failures need not be possible


def _are_locks_shared(runtime: Runtime, pool: Pool) -> bool:
    """Whether threads that are no tasks had locks of tasks while these tasks were under way."""
    lives = {each.life: each.index for each in pool.tasks}
    own = set(lives.values())
    begun: set[int] = set()
    joined: dict[int, set[int]] = {}
    for index, op, target, *_ in runtime.log:
        if op is Op.BEGIN and index in own:
            begun.add(index)
        elif op is Op.JOIN and target in lives:
            joined.setdefault(index, set()).add(lives[target])
        elif op in (Op.ACQUIRE, Op.RELEASE) and index not in own and target in pool.locks:
            if begun - joined.get(index, set()):  # the lock was taken before that, and is released now
                return True
    return False
