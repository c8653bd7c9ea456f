"""An abstract model of ``multiprocessing.pool.ThreadPool``: each task is a thread of its own, as for executors.

CPython's pool has three threads besides its workers: one hands tasks out, one takes results in, one starts workers.
In the model a task starts when it is submitted, and a thread that asks for a result joins the threads of its tasks. The
effects of the three threads on the program remain: a thread of its own iterates over an iterable that is not a plain
container, and threads, one after the other, call callbacks, in the order in which their tasks have ended.

Where a run meets a feature that the model does not cover, this is learnt (``POOL_POINTS``), and all later runs use
CPython's own code for everything. Such features are an initializer, a subclass, a result of a pool that has been
terminated, a pool that is closed during a submission, a wait for a result of ``imap`` with a timeout; see also
:mod:`.executors`.

Source: ``Lib/multiprocessing/pool.py`` of CPython 3.11 to 3.15.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from types import GeneratorType
from typing import Any, Final

from mazurka.program.python.primitives import names, thread_pool_results
from mazurka.program.python.primitives.callbacks import called
from mazurka.program.python.primitives.pools import begin_task, end_task, handle, knows_end
from mazurka.program.python.primitives.private import replace
from mazurka.program.python.primitives.run import Models, here
from mazurka.program.python.primitives.steps import change, pass_step, read, write
from mazurka.program.python.primitives.thread_pool_results import (
    PoolJob,
    ThreadPool,
    has_ended,
    join_thread,
    offered,
    pool_of,
    settle,
    start_thread,
    task_of,
)
from mazurka.program.runtime.task import POOL_POINTS
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind

#: Threads that CPython's pool has besides its workers.
_HANDLERS: Final = 3

#: Iterables that never change, and run no code of the program.
_FIXED: Final = frozenset({tuple, range, str, bytes, frozenset})
#: Iterables that run no code of the program.
_PLAIN: Final = _FIXED | {list, dict, set}

_END: Final = object()

_original: Final[dict[tuple[type, str], Any]] = {}


# -- pools -------------------------------------------------------------------------------------------------------------


def pool_init(self: Any, processes: Any = None, initializer: Any = None, initargs: Any = ()) -> None:
    """``ThreadPool()``: the model, where it covers the arguments; otherwise CPython's own threads."""
    models, space = here(), self.__dict__
    if models is None:
        _original[_thread_pool, "__init__"](self, processes, initializer, initargs)
        return
    space["_mz_models"] = models
    if not _is_covered(self, models, initializer):
        _original[_thread_pool, "__init__"](self, processes, initializer, initargs)
        _bind_to_run(space["_terminate"], models)
        return
    space["_pool"] = []
    if processes is None:
        processes = getattr(os, "process_cpu_count", os.cpu_count)() or 1
    if processes < 1:
        space["_state"] = "INIT"
        raise ValueError("Number of processes must be at least 1")
    names.take_number(models)
    for _ in range(processes + _HANDLERS):
        threading.__dict__["_newname"]("Thread-%d")
    pool = ThreadPool(models, processes)
    space.update(_mz_pool=pool, _pool=[None] * processes, _processes=processes, _state="RUN", _cache={})
    space.update(_taskqueue=_Tasks(pool, space), _initializer=None, _initargs=initargs, _change_notifier=None)
    models.pools.append(pool)


def _is_covered(pool: Any, models: Models, initializer: Any) -> bool:
    return type(pool) is _thread_pool and initializer is None and POOL_POINTS not in models.runtime.points


def check_running(self: Any) -> None:
    """``Pool._check_running``: a read of the pool's state; ``ValueError`` if it is closed."""
    pool = pool_of(self)
    if pool is not None:
        pass_step(pool.models, read(*pool.place()))
    _original[_base, "_check_running"](self)


def waits_for_results(name: str) -> Callable[..., Any]:
    """In place of ``map`` and ``starmap``, during which the caller waits."""

    def submit(self: Any, func: Any, iterable: Any, chunksize: Any = None) -> Any:
        pool = pool_of(self)
        if pool is None:
            return _original[_base, name](self, func, iterable, chunksize)
        me = pool.models.runtime.current.index
        pool.waiting.add(me)
        try:
            result = getattr(self, f"{name}_async")(func, iterable, chunksize)
        finally:
            pool.waiting.discard(me)
        return result.get()

    return submit


def _through(name: str) -> Callable[..., Any]:
    """CPython's own method, which counts as no code of a library: the steps to explore are in the functions that it
    calls."""

    def method(self: Any, *args: Any, **named: Any) -> Any:
        return _original[_base, name](self, *args, **named)

    return method


def close(self: Any) -> None:
    """``Pool.close``: a change of the pool's state."""
    pool = pool_of(self)
    if pool is None:
        _original[_base, "close"](self)
        return
    pass_step(pool.models, change(*pool.place()))
    if self._state == "RUN":
        self._state = "CLOSE"


def terminate(self: Any) -> None:
    """``Pool.terminate``: tasks that have not begun are dropped."""
    pool = pool_of(self)
    if pool is None:
        _original[_base, "terminate"](self)
        return
    runtime = pool.models.runtime
    pass_step(pool.models, change(*pool.place()), write(*pool.end()))
    self._state = "TERMINATE"
    pool.terminated = True
    if runtime.aborting:
        return
    for feeder in pool.feeders:
        join_thread(pool.models, feeder)
    if not all(has_ended(pool.models, each) for each in pool.callers):
        runtime.need_points(POOL_POINTS)


def _expect_all_ended(pool: ThreadPool) -> None:
    """No model covers tasks whose pool is not referred to any more."""
    if pool.models.runtime.aborting:
        return
    tasks = [*pool.tasks, *map(task_of, (*pool.feeders, *pool.callers))]
    if not all(knows_end(pool.models, task) for task in tasks):
        pool.models.runtime.need_points(POOL_POINTS)


def join(self: Any) -> None:
    """``Pool.join``: waits for the threads of all tasks; ``ValueError`` while the pool is running."""
    pool = pool_of(self)
    if pool is None:
        _original[_base, "join"](self)
        return
    pass_step(pool.models, read(*pool.place()))
    if self._state == "RUN":
        raise ValueError("Pool is still running")
    for feeder in pool.feeders:
        join_thread(pool.models, feeder)
    for task in pool.tasks:
        if not knows_end(pool.models, task):
            pool.models.runtime.join(task, waiting_for=task)
    for caller in pool.callers:
        join_thread(pool.models, caller)


def _bind_to_run(finalizer: Any, models: Models) -> None:
    """Prevent that a pool is terminated after its run is over: it has no threads left then."""
    terminate, key = finalizer._callback, finalizer._key
    finalizer._callback = lambda *args: terminate(*args) if here() is models else None
    registry = vars(sys.modules["multiprocessing.util"])["_finalizer_registry"]
    models.undo.append(lambda: registry.pop(key, None))


def pool_del(self: Any) -> None:
    """``Pool.__del__``: no effect outside the pool's run."""
    models = self.__dict__.get("_mz_models")
    if models is not None and models is not here():
        return  # the pool's run is over
    pool = pool_of(self)
    if pool is not None:
        _expect_all_ended(pool)
    _original[_base, "__del__"](self)


# -- tasks -------------------------------------------------------------------------------------------------------------


class _Tasks:
    """Takes the place of the queue of tasks: it starts each task that is put there."""

    def __init__(self, pool: ThreadPool, space: dict[str, Any]) -> None:
        self._pool = pool
        self._space = space

    def put(self, item: tuple[Any, Any]) -> None:
        pool, models, (tasks, set_length) = self._pool, self._pool.models, item
        pass_step(models, change(*pool.place()))
        if self._space["_state"] != "RUN":  # the pool has been closed meanwhile
            models.runtime.need_points(POOL_POINTS)
        me = models.runtime.current.index
        job = pool.jobs.pop(me)
        source = _source(tasks)
        if type(source) in _PLAIN and job.is_empty():
            return
        if type(source) in (_PLAIN if me in pool.waiting else _FIXED) and all(
            has_ended(models, each) for each in pool.feeders
        ):
            _feed(pool, job, tasks, set_length)
        else:
            job.feeder = start_thread(pool, "tasks", _feed_later, pool, job, tasks, set_length, len(pool.feeders))


def _source(tasks: Any) -> Any:
    """The iterable of the program; None if it is not known."""
    if type(tasks) is list:  # of `apply`
        return ()
    source = _argument(tasks, "Pool._guarded_task_generation", "iterable")
    return _argument(source, "Pool._get_tasks", "it") if _is_batches(source) else source


def _argument(generator: Any, method: str, name: str) -> Any:
    """An argument of a generator of CPython's pool, which has not begun yet."""
    if type(generator) is GeneratorType and generator.gi_frame and generator.gi_code.co_qualname == method:
        return generator.gi_frame.f_locals.get(name)
    return None


def _is_batches(source: Any) -> bool:
    return type(source) is GeneratorType and source.gi_code.co_qualname == "Pool._get_tasks"


def _tasks_of(models: Models, tasks: Any) -> Iterator[tuple[int, Any, Any, Any]]:
    """The place, function and arguments of each task: the items of CPython's generators, each step of which is
    reported."""
    if type(tasks) is list:
        yield from [task[1:] for task in tasks]
        return
    function, source = (_argument(tasks, "Pool._guarded_task_generation", name) for name in ("func", "iterable"))
    place = -1
    try:
        if not _is_batches(source):
            for place, each in enumerate(_each_of(source)):
                yield place, function, (each,), {}
            return
        inner, size = (_argument(source, "Pool._get_tasks", name) for name in ("func", "size"))
        items = _each_of(_argument(source, "Pool._get_tasks", "it"))
        while batch := tuple(islice(items, size)):
            place += 1
            yield place, function, ((inner, batch),), {}
    except Exception as error:
        yield place + 1, _raise, (error,), {}


def _each_of(source: Any) -> Iterator[Any]:
    iterator = called(iter, source)
    while (each := called(next, iterator, _END)) is not _END:
        yield each


def _raise(error: Exception) -> None:
    raise error


def _feed_later(pool: ThreadPool, job: PoolJob, tasks: Any, set_length: Any, place: int) -> None:
    job.feeder = threading.current_thread()
    pool.feeders.append(job.feeder)
    if place:
        join_thread(pool.models, pool.feeders[place - 1])
    handle(pool, lambda: _feed(pool, job, tasks, set_length))


def _feed(pool: ThreadPool, job: PoolJob, tasks: Any, set_length: Any) -> None:
    """Start the tasks of a job."""
    ordered, count = job.kind == "IMapIterator", 0
    for index, function, args, named in _tasks_of(pool.models, tasks):
        place, waits = len(pool.tasks), pool.submit()
        if job.feeder is not None and _is_terminated(pool):
            break
        if ordered and job.feeder is not None:
            pass_step(pool.models, write(*offered(job)))
        job.tasks.append(start_thread(pool, str(place), _live, pool, job, index, function, args, named, place, waits))
        count = index + 1
    if set_length is not None and not ordered:
        set_length(count)
    elif ordered and job.feeder is not None:
        pass_step(pool.models, write(*offered(job)))
        job.fed = True


def _is_terminated(pool: ThreadPool) -> bool:
    pass_step(pool.models, read(*pool.end()))
    return pool.terminated


def _live(
    pool: ThreadPool, job: PoolJob, index: int, function: Any, args: Any, named: Any, place: int, waits: bool
) -> None:
    """The body of a task's thread."""
    begun = begin_task(pool, place, waits)
    if _is_terminated(pool):
        pool.tasks[place].pool = None
        end_task(pool, begun)
        return
    outcome: tuple[bool, Any] | None = None
    try:
        if getattr(function, "__module__", None) in ("threading", "_thread"):  # it may look at the task's thread
            pool.models.runtime.need_points(POOL_POINTS)
        try:
            outcome = True, _call(function, args, named)
        except Exception as error:
            outcome = False, error
        del function, args, named
    finally:
        pool.tasks[place].pool = None
        if outcome is None and not pool.models.runtime.aborting:  # it ends a worker: no thread gets the result
            pool.models.runtime.need_points(POOL_POINTS)
    end_task(pool, begun)
    if job.kind == "IMapUnorderedIterator":
        job.result._set(index, outcome)
    elif job.calls_back():
        _count(job, index, outcome)
    elif not outcome[0]:
        pass_step(pool.models, change((Kind.FAILURES.tag, pool.number, job.number), "the first exception of a map()"))
        job.outcomes[index] = outcome
    else:
        job.outcomes[index] = outcome


def _call(function: Any, args: Any, named: Any) -> Any:
    """Carry out a task. Tasks of maps have a function of CPython that calls that of the program for each of several
    values."""
    mapper = getattr(function, "__name__", None) if getattr(function, "__module__", None) == _NAME else None
    if mapper not in ("mapstar", "starmapstar"):
        return called(function, *args, **named)
    ((inner, values),) = args
    results: list[Any] = []
    try:
        for each in values:
            result = called(inner, *each) if mapper == "starmapstar" else called(inner, each)
            results.append(result)
    except StopIteration:  # ends `list(map(...))`
        pass
    return results


def _count(job: PoolJob, index: int, outcome: tuple[bool, Any]) -> None:
    """One of the tasks of a job with callbacks is done: the last one calls them, in a thread."""
    pool = job.pool
    pool.models.runtime.visit(Op.RMW, (Kind.RESULTS.tag, pool.number), 0, point=True)
    job.outcomes[index] = outcome
    left = job.result.__dict__.get("_number_left", 1) - 1
    job.result.__dict__["_number_left"] = left
    pool.models.runtime.record_value(left)
    if not left:
        job.caller = start_thread(pool, "callbacks", _call_back, pool, job, len(pool.callers))


def _call_back(pool: ThreadPool, job: PoolJob, place: int) -> None:
    job.caller = threading.current_thread()
    pool.callers.append(job.caller)
    if place:
        join_thread(pool.models, pool.callers[place - 1])
    settle(job)
    space = job.result.__dict__
    function = space["_callback" if space["_success"] else "_error_callback"]
    if function:
        handle(pool, lambda: called(function, space["_value"]))


for _each in (_live, _feed_later, _call_back):
    _each.__module__ = "threading"  # they are no code of a library: no thread enters it

# -- putting it in place -----------------------------------------------------------------------------------------------

_NAME: Final = "multiprocessing.pool"
_METHODS: Final = (
    *("apply", "apply_async", "map_async", "starmap_async", "imap", "imap_unordered"),
    *("__enter__", "__exit__"),
)

_base: Any = None
_thread_pool: Any = None


def install() -> Callable[[], None] | None:
    """Put the model in place; returns the function that puts the originals back, or None while ``multiprocessing.pool``
    is not loaded."""
    global _base, _thread_pool
    module: Any = sys.modules.get(_NAME)
    if module is None:
        return None
    _base, _thread_pool = module.Pool, module.ThreadPool
    methods = {name: _through(name) for name in _METHODS}
    methods |= {name: waits_for_results(name) for name in ("map", "starmap")}
    methods |= {
        "_check_running": check_running,
        "close": close,
        "terminate": terminate,
        "join": join,
        "__del__": pool_del,
    }
    undo_pools = replace({_thread_pool: {"__init__": pool_init}, _base: methods}, _original)
    undo_results = thread_pool_results.install(module)

    def undo() -> None:
        undo_results()
        undo_pools()

    return undo
