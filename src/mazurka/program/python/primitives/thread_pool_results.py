"""Results of a ``multiprocessing.pool.ThreadPool`` in its abstract model, see :mod:`.thread_pools`."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.primitives.pools import Pool, knows_end
from mazurka.program.python.primitives.private import replace
from mazurka.program.python.primitives.run import Models, here
from mazurka.program.python.primitives.steps import change, pass_step
from mazurka.program.python.semantics import raising
from mazurka.program.runtime.task import POOL_POINTS, Task
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, Target

_original: Final[dict[tuple[type, str], Any]] = {}

_apply_result: Any = None
_items_in_order: Any = None
_timeout_error: Any = None


class ThreadPool(Pool):
    """A ``ThreadPool`` in one run."""

    def __init__(self, models: Models, workers: int) -> None:
        super().__init__(models, workers)
        self.number = sum(type(each) is ThreadPool for each in models.pools)
        self.feeders: list[Any] = []  # threads that iterate over iterables and start tasks, each after the one before
        self.callers: list[Any] = []  # threads that call callbacks, each after the one before
        self.next_job = 0
        self.terminated = False  # whether tasks that have not begun are dropped
        self.waiting: set[int] = set()  # threads that wait for the task they are about to submit
        self.jobs: dict[int, PoolJob] = {}  # by thread: the last job that it has made

    def place(self) -> tuple[Target, str]:
        """The location of the pool's state, and its name in reports."""
        return (Kind.POOL.tag, self.number), "the state of a ThreadPool"

    def end(self) -> tuple[Target, str]:
        """The location of the pool's termination, and its name in reports."""
        return (Kind.POOL_END.tag, self.number), "whether a ThreadPool is terminated"


class PoolJob:
    """The model of a result in this run."""

    def __init__(self, pool: ThreadPool, result: Any) -> None:
        self.pool = pool
        self.result = result
        self.kind = type(result).__name__
        self.number = pool.next_job
        pool.next_job += 1
        self.feeder: Any = None  # the thread that starts its tasks, if not the submitting one
        self.tasks: list[Any] = []  # their threads
        self.outcomes: dict[int, tuple[bool, Any]] = {}  # by the place of a task, in the order of their ends
        self.caller: Any = None  # the thread that calls its callbacks
        self.settled = False
        self.fed = False  # its feeder has started all its tasks
        self.taken = 0  # items of `imap`

    def calls_back(self) -> bool:
        """Whether a callback has to be called when the job is over."""
        space = self.result.__dict__
        return space.get("_callback") is not None or space.get("_error_callback") is not None

    def is_empty(self) -> bool:
        """Whether the job is a ``map`` over an empty iterable."""
        return bool(self.result.__dict__.get("_chunksize", 1) <= 0)

    def describe(self) -> str:
        return "the next item of imap()"

    def holder(self) -> None:
        return None

    def threads(self) -> Iterator[Any]:
        """All threads that have to end before the result is there; more may be added during a wait for one of them."""
        if self.is_empty():
            return
        if self.feeder is not None:
            yield self.feeder
        yield from self.tasks
        if self.caller is not None:
            yield self.caller


def task_of(thread: Any) -> Task:
    """The runtime's task of a modelled thread."""
    task: Task = thread.__dict__["_mz"].task
    return task


def has_ended(models: Models, thread: Any) -> bool:
    """Whether the running thread knows that a thread has ended, or is that thread."""
    task = task_of(thread)
    return task is models.runtime.current or knows_end(models, task)


def join_thread(models: Models, thread: Any, deadline: float | None = None) -> bool:
    """Wait until a thread has ended; false if the deadline, on the running thread's clock, comes first."""
    if has_ended(models, thread):
        return True
    runtime, task = models.runtime, task_of(thread)
    left = None if deadline is None else max(deadline - runtime.current.clock, 0.0)
    return runtime.join(task, left, waiting_for=task)


def start_thread(pool: ThreadPool, name: str, target: Callable[..., None], *args: Any) -> Any:
    """Start a daemon thread of the model, named after the pool and its part in it."""
    thread = threading.Thread(name=f"ThreadPool-{pool.number}_{name}", target=target, args=args, daemon=True)
    thread.start()
    return thread


def pool_of(thing: Any) -> ThreadPool | None:
    """The model of a pool in the run in progress; None if CPython's own code is used."""
    pool: ThreadPool | None = thing.__dict__.get("_mz_pool")
    return pool if pool is not None and pool.models is here() else None


def offered(job: PoolJob) -> tuple[Target, str]:
    """The location of the results that ``imap`` can return, and its name in reports."""
    return (Kind.OFFERED.tag, job.pool.number, job.number), "the results that imap() has to offer"


def _job_of(result: Any) -> PoolJob | None:
    job: PoolJob | None = result.__dict__.get("_mz_job")
    return job if job is not None and job.pool.models is here() else None


def _register(result: Any, pool: Any) -> None:
    if (known := pool_of(pool)) is not None:
        job = result.__dict__["_mz_job"] = PoolJob(known, result)
        known.jobs[known.models.runtime.current.index] = job


def result_init(self: Any, pool: Any, *args: Any, **named: Any) -> None:
    """``ApplyResult()``, registered with the pool's model."""
    _original[_apply_result, "__init__"](self, pool, *args, **named)
    _register(self, pool)


def _await(job: PoolJob, timeout: float | None) -> bool:
    """Wait for all tasks of a job; false if the time ran out."""
    models = job.pool.models
    deadline = None if timeout is None else models.runtime.current.clock + max(timeout, 0.0)
    known = all(has_ended(models, each) for each in job.threads())
    done = all(join_thread(models, each, deadline) for each in job.threads())
    if job.pool.terminated and not known:  # the result may not have been taken in
        models.runtime.need_points(POOL_POINTS)
    return done


def settle(job: PoolJob) -> None:
    """Compute a result from those of all tasks."""
    if job.settled:
        return
    job.settled = True
    space, outcomes = job.result.__dict__, job.outcomes
    space["_pool"] = None
    if job.kind == "ApplyResult":
        space["_success"], space["_value"] = outcomes.get(0, (False, None))
        return
    if failed := [value for done, value in outcomes.values() if not done]:
        space["_success"], space["_value"] = False, failed[0]
        return
    size = space["_chunksize"]
    for index, (_, values) in outcomes.items():
        space["_value"][index * size : (index + 1) * size] = values


def result_wait(self: Any, timeout: Any = None) -> None:
    """``ApplyResult.wait``: waits for the threads of the tasks."""
    job = _job_of(self)
    if job is None:
        _original[_apply_result, "wait"](self, timeout)
    else:
        _await(job, timeout)


def result_get(self: Any, timeout: Any = None) -> Any:
    """``ApplyResult.get``: waits for the threads of the tasks; raises the first exception of a task."""
    job = _job_of(self)
    if job is None:
        return _original[_apply_result, "get"](self, timeout)
    if not _await(job, timeout):
        raise _timeout_error
    settle(job)
    if self._success:
        return self._value
    raising.raised_elsewhere(job.pool.models.runtime, self._value, sites.place_of(sys._getframe(1)))
    raise self._value


def result_ready(self: Any) -> bool:
    """``ApplyResult.ready``: whether the threads of the tasks have ended."""
    job = _job_of(self)
    if job is None:
        return bool(_original[_apply_result, "ready"](self))
    models = job.pool.models
    if job.pool.terminated:
        models.runtime.need_points(POOL_POINTS)
    ready = all(has_ended(models, each) or not each.is_alive() for each in job.threads())
    # To join a thread that has ended is no step that others notice.
    return ready and all(join_thread(models, each) for each in job.threads())


def result_successful(self: Any) -> bool:
    """``ApplyResult.successful``; ``ValueError`` while it is not ready."""
    job = _job_of(self)
    if job is not None and self.ready():
        settle(job)
        return bool(self._success)
    return bool(_original[_apply_result, "successful"](self))


def items_init(self: Any, pool: Any) -> None:
    """``IMapIterator()``, registered with the pool's model."""
    _original[_items_in_order, "__init__"](self, pool)
    _register(self, pool)


def items_next(self: Any, timeout: Any = None) -> Any:
    """``IMapIterator.next``: waits for the thread of the next task."""
    job = _job_of(self)
    if job is None:
        return _original[_items_in_order, "next"](self, timeout)
    models = job.pool.models
    if timeout is not None:
        models.runtime.need_points(POOL_POINTS)
    if job.kind != "IMapIterator":
        try:
            return _original[_items_in_order, "next"](self, None)
        except StopIteration:
            _await(job, None)  # its threads have nothing left to do
            raise
    pass_step(models, change((Kind.TAKEN.tag, job.pool.number, job.number), "the place in the results of imap()"))
    place = job.taken
    job.taken += 1
    if job.feeder is not None and len(job.tasks) <= place:
        models.runtime.block(Op.READ, offered(job)[0], lambda: len(job.tasks) > place or job.fed, waiting_for=job)
    if len(job.tasks) <= place:
        _await(job, None)
        raise StopIteration
    join_thread(models, job.tasks[place])
    if job.pool.terminated:
        models.runtime.need_points(POOL_POINTS)
    done, value = job.outcomes.get(place, (False, None))
    if done:
        return value
    raise value


def replacements(module: Any) -> dict[type, dict[str, Any]]:
    """Attributes of the classes of ``multiprocessing.pool``, and their replacements."""
    global _apply_result, _items_in_order, _timeout_error
    _timeout_error, _apply_result, _items_in_order = module.TimeoutError, module.ApplyResult, module.IMapIterator
    return {
        _apply_result: {
            "__init__": result_init,
            "wait": result_wait,
            "get": result_get,
            "ready": result_ready,
            "successful": result_successful,
        },
        _items_in_order: {
            "__init__": items_init,
            "__iter__": lambda self: self,
            "next": items_next,
            "__next__": items_next,
        },
    }


def install(module: Any) -> Callable[[], None]:
    """Put the replacements in place; returns the function that puts the originals back."""
    return replace(replacements(module), _original)
