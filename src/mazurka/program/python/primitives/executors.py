"""An abstract model of ``ThreadPoolExecutor``: each task is a thread of its own.

The assignment of tasks to workers, and the workers' waits for tasks, multiply the orders, and no program can
distinguish these. So a task gets a thread that starts when it is submitted and ends with it, and a thread that asks a
future for its result joins that thread. All other parts are CPython's own code: the executor's locks, the futures'
conditions, and how a task is run.

Why this is exact. Every task that waits finds a worker as long as fewer than ``max_workers`` tasks are under way, since
each submission either leaves a worker idle for it or starts one. So the tasks of an executor may overlap like threads
of their own, with two exceptions:

- *More tasks than workers.* With one worker a task joins the one before it. With several workers the model has no
  limit at first, which only adds orders; a failure in one of these is real if the limit was not exceeded in fact
  (:meth:`Pool.begin` tests that). This would miss a program that gets stuck because of the limit, which happens only if
  tasks wait: for a lock that another thread takes meanwhile, or keeps while it waits (except for those of `wait` and
  `as_completed`), or for any other event. Where a run has such tasks, this is learnt (``WORKER_POINTS``), and in all
  later runs a task first takes a worker, and gives it back at its end (:meth:`Pool.take_worker`). Tasks take workers in
  the order in which they were submitted, as from the executor's queue. Which worker it is makes no difference.
- *State that a worker keeps from task to task*: its identity, its name, thread-local values, context variables,
  re-entrant locks that a task leaves locked.

Where a run meets a feature that the model does not cover, this is learnt (``POOL_POINTS``), and all later runs use
CPython's own code for everything. Such features are an initializer, a task cancelled, a callback added while a thread
waits, a subclass, a look at the executor's own attributes.

Source: ``Lib/concurrent/futures/thread.py`` and ``_base.py`` of CPython 3.11 to 3.15.
"""

from __future__ import annotations

import concurrent.futures._base
import concurrent.futures.thread
import contextvars
import functools
import itertools
import re
import sys
import threading
import types
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.primitives import completions, names
from mazurka.program.python.primitives.births import hash_of_birth, note_birth
from mazurka.program.python.primitives.callbacks import called
from mazurka.program.python.primitives.locks import Lock
from mazurka.program.python.primitives.pools import Pool, begin_task, end_task, knows_end
from mazurka.program.python.primitives.private import Private, replace
from mazurka.program.python.primitives.queues import SimpleQueue
from mazurka.program.python.primitives.run import Models, count_untracked, here
from mazurka.program.python.semantics import raising
from mazurka.program.python.semantics.gathering import is_seen
from mazurka.program.runtime.task import POOL_POINTS, SUBMIT_POINTS
from mazurka.trace.event import Op

_Executor: Final[Any] = concurrent.futures.thread.ThreadPoolExecutor
_base: Final[Any] = concurrent.futures._base.__dict__
_Future: Final[Any] = concurrent.futures._base.Future
_AsCompleted: Final[Any] = _base["_AsCompletedWaiter"]
_WorkItem: Final[Any] = concurrent.futures.thread._WorkItem
_queues: Final[Any] = concurrent.futures.thread.__dict__  # it holds `_threads_queues`

_original: Final[dict[tuple[type, str], Any]] = {}


def adjust(self: Any) -> None:
    """In place of ``_adjust_thread_count``, which ``submit`` calls when it has put a task on the queue."""
    models = here()
    pool = _pool_of(self, models) if models is not None else None
    if models is None or pool is None:
        _original[_Executor, "_adjust_thread_count"](self)
        return
    item = self._work_queue._mz_take_last(models)
    space, place = self.__dict__, len(pool.tasks)
    context = (space["_create_worker_context"](),) if "_create_worker_context" in space else ()  # from 3.14 on
    waits = pool.submit()
    name = f"{space['_thread_name_prefix'] or self}_{place}"
    thread = threading.Thread(name=name, target=_live, args=(pool, place, item, context, waits))
    thread.__dict__["_mz_label"] = f"{_pool_in_words(space['_thread_name_prefix'])}task {place + 1}{_function_of(item)}"
    item.future.__dict__["_mz_thread"] = pool, thread
    thread.start()
    space["_threads"].add(thread)
    _queues["_threads_queues"][thread] = space["_work_queue"]


def _pool_in_words(prefix: str) -> str:
    """The name of an executor, if its user has given it one, before the number of a task in reports."""
    return "" if not prefix or _MADE.fullmatch(prefix) else f"{prefix} "


#: Names of executors that the library chooses.
_MADE: Final = re.compile(r"ThreadPoolExecutor-\d+|asyncio")


def _function_of(item: Any) -> str:
    """`` (work)`` for a task that calls ``work``, looked up without running code of the program; as threads have it."""
    call = getattr(item, "task", None) or (item.fn, item.args)  # from 3.14 on; before
    function: Any = call[0]
    args: tuple[Any, ...] = call[1]
    while True:
        if type(function) is functools.partial:
            function, args = function.func, (*function.args, *args)
        elif args and (function is called or _runs_in_context(function)):  # by asyncio.to_thread
            function, args = args[0], args[1:]
        else:
            break
    if type(function) is types.MethodType:
        function = function.__func__
    known = type(function) in (types.FunctionType, types.BuiltinFunctionType)
    return f" ({function.__name__})" if known else ""


def _runs_in_context(function: Any) -> bool:
    return type(function) is types.BuiltinMethodType and type(function.__self__) is contextvars.Context


def _pool_of(executor: Any, models: Models) -> Pool | None:
    """The model of an executor in this run; None if CPython's own code is to run the executor."""
    space = executor.__dict__
    pool: Pool | None = space.get("_mz_pool")
    if pool is not None and pool.models is models:
        return pool  # to the end of the run, even if it is learnt meanwhile that the model does not cover it
    if POOL_POINTS in models.runtime.points:
        return None
    kind = type(executor)
    queue, context = space["_work_queue"], space.get("_create_worker_context")
    if space["_threads"] or kind._adjust_thread_count is not adjust or type(queue) is not SimpleQueue:
        return None
    if space.get("_initializer") is not None or (context is not None and _initializes(context)):
        return None
    if len(queue._mz_items) != 1:
        return None
    pool = space["_mz_pool"] = Pool(models, space["_max_workers"])
    models.pools.append(pool)
    return pool


def _initializes(make: Any) -> bool:
    """From 3.14 on: whether contexts of workers have an initializer."""
    context = make()
    return type(context) is not concurrent.futures.thread.__dict__["WorkerContext"] or context.initializer is not None


def _live(pool: Pool, place: int, item: Any, context: tuple[Any, ...], waits: bool) -> None:
    """The body of a task's thread."""
    begun = begin_task(pool, place, waits)
    task = pool.tasks[place]
    task.own_lock = getattr(item.future.__dict__["_condition"]._lock, "_target", None)
    try:
        item.run(*context)
        del item
    finally:
        task.pool = None
    end_task(pool, begun)


_live.__module__ = "concurrent.futures.thread"


# -- futures -----------------------------------------------------------------------------------------------------------


def _task_of(future: Any) -> tuple[Models, Any] | None:
    """The thread of a future's task, if the task has a thread of its own and the caller is another thread of the same
    run."""
    known = future.__dict__.get("_mz_thread")
    if known is None:
        return None
    models = here()
    pool, thread = known
    if models is None or pool.models is not models or thread.__dict__["_mz"].task is models.runtime.current:
        return None
    return models, thread


def _is_over(models: Models, thread: Any) -> bool:
    """Whether the running thread knows that a task has ended."""
    task = thread.__dict__["_mz"].task
    return task is not None and knows_end(models, task)


def _awaited(name: str) -> Callable[..., Any]:
    def wait(self: Any, timeout: float | None = None) -> Any:
        found = _task_of(self)
        if found is not None and not self.__dict__.get("_mz_called"):
            models, thread = found
            if not _is_over(models, thread):
                self.__dict__["_mz_joined"] = True
                task = thread.__dict__["_mz"].task
                if not models.runtime.join(task, None if timeout is None else max(timeout, 0), waiting_for=task):
                    return _ask(self, name, 0)
            return _ask(self, name, None)
        return _ask(self, name, timeout)

    return wait


def _ask(future: Any, name: str, timeout: float | None) -> Any:
    """Ask a future, by CPython's own code, for its result or its error, which is raised again for the result."""
    try:
        return _original[_Future, name](future, timeout)
    finally:
        error, models = future.__dict__.get("_exception"), here()
        if error is not None and models is not None:
            raising.raised_elsewhere(models.runtime, error, sites.place_of(sys._getframe(2)))


def cancel(self: Any) -> Any:
    """``Future.cancel``: for a task that is not yet over, the run gives the abstract model up."""
    _give_up_unless_over(self)
    return _original[_Future, "cancel"](self)


def set_running(self: Any) -> Any:
    """``Future.set_running_or_notify_cancel``: no step by the thread of its task. Where another thread may see or
    change this state before the task is over, the run gives the abstract model up."""
    known, models = self.__dict__.get("_mz_thread"), here()
    if known is not None and models is not None and known[0].models is models and self._state == "PENDING":
        if known[1].__dict__["_mz"].task is models.runtime.current and not models.runtime.aborting:
            models.runtime.drain()  # stores arrive, as with the lock of CPython's code
            self._state = "RUNNING"
            return True
    _give_up_unless_over(self)
    return _original[_Future, "set_running_or_notify_cancel"](self)


def _give_up_unless_over(future: Any) -> None:
    """A thread other than that of the task may see or change whether the task is running: give up the model unless the
    task is over. Clean-up code of threads that are unwound is no part of the run."""
    found = _task_of(future)
    if found is not None and not found[0].runtime.aborting and not _is_over(*found):
        found[0].runtime.need_points(POOL_POINTS)


def _giving_up(name: str) -> Any:
    def method(self: Any, *args: Any) -> Any:
        _give_up_unless_over(self)
        return _original[_Future, name](self, *args)

    return method


def add_done_callback(self: Any, function: Any) -> None:
    """``Future.add_done_callback``: while another thread waits for the future, the run gives the abstract model up."""
    models = here()
    if models is not None and not is_seen(function):
        function = functools.partial(called, function)
    found = _task_of(self)
    if found is not None and not found[0].runtime.aborting and not _is_over(*found):
        if self.__dict__.get("_mz_joined"):
            found[0].runtime.need_points(POOL_POINTS)
        self.__dict__["_mz_called"] = True
    _original[_Future, "add_done_callback"](self, function)


def future_init(self: Any, *args: Any, **named: Any) -> None:
    """``Future()``, numbered."""
    _original[_Future, "__init__"](self, *args, **named)
    note_birth(self)


def acquire_futures(self: Any, futures: Any) -> None:
    """``_AcquireFutures()``: their conditions are taken by birth, not by address: in the same order in every run."""
    self.futures = sorted(futures, key=_birth_of)


def _waiter_init(kind: type) -> Any:
    """Stands for the constructor of the objects that `wait` and `as_completed` wait on."""

    def init(self: Any, *args: Any, **named: Any) -> None:
        _original[kind, "__init__"](self, *args, **named)
        models, lock = here(), self.__dict__["lock"]
        if models is not None and type(lock) is Lock and not (kind is _AsCompleted and completions.begin(self)):
            models.futures_locks.add(lock._target)

    return init


def _birth_of(future: Any) -> tuple[str, int]:
    maker, _, count = future.__dict__.get("_mz_birth", "").partition("#")
    return (maker, int(count)) if count else ("", id(future))


# -- executors ---------------------------------------------------------------------------------------------------------


def submit(self: Any, /, *args: Any, **named: Any) -> Any:
    """``Executor.submit``: it fails once the main thread has ended, which takes the same lock."""
    models = here()
    if models is not None and models.runtime.current.index:  # another thread than the main one
        models.runtime.need_points(SUBMIT_POINTS)
    return _original[_Executor, "submit"](self, *args, **named)


def shutdown(self: Any, wait: bool = True, *, cancel_futures: bool = False) -> None:
    """``Executor.shutdown``: with ``cancel_futures``, if tasks are not yet over, the run gives the abstract model
    up."""
    models = here()
    if models is not None and cancel_futures and (pool := self.__dict__.get("_mz_pool")) and pool.models is models:
        if not all(_is_over(models, each) for each in self.__dict__["_threads"]):
            models.runtime.need_points(POOL_POINTS)
    _original[_Executor, "shutdown"](self, wait, cancel_futures=cancel_futures)


def executor_init(self: Any, *args: Any, **named: Any) -> None:
    """``ThreadPoolExecutor()``: default name prefixes are numbered per run."""
    models = here()
    if models is not None and not (named.get("thread_name_prefix") or args[1:] and args[1]):
        names.take_number(models)
        _number_from_zero(models)
    initializer = named.get("initializer")
    if initializer is not None and not is_seen(initializer) and models is not None:
        named["initializer"] = functools.partial(called, initializer)
    _original[_Executor, "__init__"](self, *args, **named)


def _number_from_zero(models: Models) -> None:
    """The first executor without a name of its own gets the number 0 in each run."""
    if not models.numbers_executors:
        models.numbers_executors = True
        models.undo.append(functools.partial(setattr, _Executor, "_counter", _Executor._counter))
        _Executor._counter = itertools.count().__next__


def item_init(self: Any, *args: Any, **named: Any) -> None:
    """``_WorkItem()``: a call of a function that does not report itself is a step of its task."""
    _original[_WorkItem, "__init__"](self, *args, **named)
    if here() is not None:
        _report_call_of(self)


def _report_call_of(item: Any) -> None:
    """Have a task report the function that it calls, if that does not report itself."""
    function = item.__dict__.get("fn")
    task = item.__dict__.get("task")  # from 3.14 on
    if function is not None and not is_seen(function):
        item.fn = functools.partial(called, function)
    elif type(task) is tuple and task and not is_seen(task[0]):
        item.task = (functools.partial(called, task[0]), *task[1:])


def _peeked(models: Models, executor: Any, op: Op) -> None:
    models.runtime.need_points(POOL_POINTS)


def _state_used(models: Models, future: Any, op: Op) -> None:
    _peeked(models, future, op)
    count_untracked(models.runtime, f"{type(future).__name__}._state")


#: class -> attribute -> its replacement.
REPLACEMENTS: Final[dict[type, dict[str, Any]]] = {
    _Executor: {
        "__init__": executor_init,
        "submit": submit,
        "_adjust_thread_count": adjust,
        "shutdown": shutdown,
        **{name: Private(name, _peeked) for name in ("_work_queue", "_idle_semaphore")},
    },
    _Future: {
        "__init__": future_init,
        "__hash__": hash_of_birth,
        "result": _awaited("result"),
        "exception": _awaited("exception"),
        "cancel": cancel,
        "set_running_or_notify_cancel": set_running,
        **{name: _giving_up(name) for name in ("running", "__repr__", "set_result", "set_exception")},
        "_condition": Private("_condition", _peeked),
        "_state": Private("_state", _state_used),
        "add_done_callback": add_done_callback,
    },
    _WorkItem: {"__init__": item_init},
    _base["_AcquireFutures"]: {"__init__": acquire_futures},
    _base["_AllCompletedWaiter"]: {"__init__": _waiter_init(_base["_AllCompletedWaiter"])},
    _AsCompleted: {"__init__": _waiter_init(_AsCompleted), **completions.ADDING},
}


def install() -> Callable[[], None]:
    """Put the replacements in place; returns the function that puts the originals back."""
    return replace(REPLACEMENTS, _original)
