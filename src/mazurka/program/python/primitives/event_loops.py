"""Event loops (`asyncio`) in threads of the program.

A loop is CPython's own code in Python, with the classes in Python for futures and tasks in place of those in C, which
make the same calls in the same order. It runs as it is as long as one thread runs loops, and no other one uses their
tasks, futures and handles: then nobody can see what happens within a callback. Otherwise the accesses of this code are
explored like those of the program.

`asyncio` keeps state by thread of the operating system, of which a run has only one: the running loop, a policy's
loop, and the hooks for asynchronous generators. In the model this state is kept by thread of the run. The tasks of a
loop, and its running task, are kept by loop; a look at those of another thread's loop is untracked. So is a look at a
name with a number, if tasks of several threads have got such names.

Source: ``Lib/asyncio`` and ``Modules/_asynciomodule.c`` of CPython 3.11 to 3.15. Waiting: :mod:`..outside.loops`.
"""

from __future__ import annotations

import functools
import logging
import sys
import warnings
import weakref
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.instrument.own import contextlib
from mazurka.program.python.primitives.births import hash_of_birth, note_birth
from mazurka.program.python.primitives.local import local, real_local
from mazurka.program.python.primitives.private import replace
from mazurka.program.python.primitives.run import (
    Models,
    beginners,
    count_uncontrolled,
    count_untracked,
    current,
    here,
)
from mazurka.program.python.semantics import foreign
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import LOOP_POINTS

MODULES: Final = foreign.OF_LOOPS

#: The state of a future or task that is not done; its class has it as long as the object has none.
_PENDING: Final = "PENDING"

_real_get_hooks: Final = sys.get_asyncgen_hooks
_real_set_hooks: Final = sys.set_asyncgen_hooks


class _LoopTasks:
    """The tasks of a loop, by thread of the run that has looked at them or changed them."""

    __slots__ = ("current", "loop", "made", "threads")

    def __init__(self, loop: Any) -> None:
        self.loop = loop  # kept, so that no other object gets its identity
        self.made: list[weakref.ref[Any]] = []  # tasks that still exist
        self.current: Any = None
        self.threads: set[int] = set()


class Loops:
    """The event loops of a run."""

    __slots__ = ("finalizers", "hooks", "is_explored", "models", "named", "queues", "running", "tasks", "threads")

    def __init__(self, models: Models) -> None:
        self.models = models
        self.is_explored = False  # whether the modules are known to be needed
        self.queues: list[Any] = []  # the models of their queues, see outside/loops.py
        self.running: dict[int, Any] = {}  # by thread
        self.threads: set[int] = set()  # those that have run loops
        self.tasks: dict[int, _LoopTasks] = {}  # by identity of the loop
        self.hooks: dict[int, tuple[Any, Any]] = {}  # by thread
        self.finalizers: dict[int, Any] = {}  # by identity of the asynchronous generator
        self.named: list[int] = []  # threads that have made tasks with numbered names


_loops: Loops | None = None


def of_run(models: Models) -> Loops:
    """The event loops of a run."""
    global _loops
    if _loops is None or _loops.models is not models:
        _loops = Loops(models)
        models.runtime.running_loops = _loops.running
        models.undo.append(_forget)
    return _loops


def _forget() -> None:
    """The run has ended: forget its loops, which must not end in the next one. Tasks that were cut off are silent."""
    global _loops
    loops, _loops = _loops, None
    for found in [] if loops is None else loops.tasks.values():
        for each in found.made:
            if (task := each()) is not None:
                task._log_destroy_pending = False
                with contextlib.suppress(BaseException):  # what it does in the end is no part of the run
                    vars(task)["_coro"].close()


#: Functions to call with a loop that a thread is about to run.
starting: Final[list[Callable[[Models, Any], None]]] = []


def explore(models: Models) -> None:
    """A loop is run: have its code explored if threads use it against the rules, or may do so, as several run loops."""
    loops, points = of_run(models), models.runtime.points
    if not loops.is_explored and (LOOP_POINTS in points or len(loops.threads) > 1):
        loops.is_explored = True
        foreign.explore(models.runtime, MODULES)


def running_loop() -> Any:
    """The event loop that the running thread of the run runs; None if it runs none."""
    models = here()
    return None if models is None else of_run(models).running.get(models.runtime.current.index)


# -- functions of asyncio.events -----------------------------------------------------------------------------------


def _get_running_loop(module: Any) -> Callable[[], Any]:
    real = module._get_running_loop

    def get() -> Any:
        return real() if here() is None else running_loop()

    return get


def _set_running_loop(module: Any) -> Callable[[Any], None]:
    real = module._set_running_loop

    def put(loop: Any) -> None:
        models = here()
        if models is None:
            real(loop)
            return
        running, me = of_run(models).running, models.runtime.current.index
        running.pop(me, None)
        if loop is not None:
            running[me] = loop
            of_run(models).threads.add(me)
            models.runtime.has_loops = True
            explore(models)
            for adopt in starting:
                adopt(models, loop)

    return put


def _get_loop(real: Callable[..., Any], running: Callable[[], Any], otherwise: Callable[[], Any]) -> Callable[..., Any]:
    def get_event_loop(*args: Any, **named: Any) -> Any:
        if here() is None:
            return real(*args, **named)
        found = running()
        return otherwise() if found is None else found

    return get_event_loop


def _no_loop() -> Any:
    raise RuntimeError("no running event loop")


def _of_events(events: Any) -> dict[str, Any]:
    get = _get_running_loop(events)

    def of_policy() -> Any:
        policy = getattr(events, "_get_event_loop_policy", None) or events.get_event_loop_policy
        return policy().get_event_loop()

    models = {"_get_running_loop": get, "_set_running_loop": _set_running_loop(events)}
    models["get_running_loop"] = _get_loop(events.get_running_loop, get, _no_loop)
    for name in ("get_event_loop", "_get_event_loop"):
        if hasattr(events, name):
            models[name] = _get_loop(getattr(events, name), get, of_policy)
    return models


# -- functions of asyncio.tasks ------------------------------------------------------------------------------------


def _tasks_of(models: Models, loop: Any) -> _LoopTasks:
    known = of_run(models).tasks
    found = known.get(id(loop))
    if found is None:
        found = known[id(loop)] = _LoopTasks(loop)
    found.threads.add(models.runtime.current.index)
    return found


def _register(models: Models, task: Any) -> None:
    found = _tasks_of(models, task._loop)
    found.made = [each for each in found.made if each() is not None]
    found.made.append(weakref.ref(task))


def _unregister(models: Models, task: Any) -> None:
    _tasks_of(models, task._loop)


def _enter(models: Models, loop: Any, task: Any) -> None:
    found = _tasks_of(models, loop)
    if found.current is not None:
        raise RuntimeError(f"Cannot enter into task {task!r} while another task {found.current!r} is being executed.")
    found.current = task


def _leave(models: Models, loop: Any, task: Any) -> None:
    found = _tasks_of(models, loop)
    if found.current is not task:
        raise RuntimeError(f"Leaving task {task!r} does not match the current task {found.current!r}.")
    found.current = None


def _swap(models: Models, loop: Any, task: Any) -> Any:
    found = _tasks_of(models, loop)
    before, found.current = found.current, task
    return before


def _seen(models: Models, loop: Any, name: str) -> _LoopTasks:
    """The tasks of a loop, which the caller sees; None stands for the running loop."""
    chosen = running_loop() if loop is None else loop
    if chosen is None:
        _no_loop()
    found = _tasks_of(models, chosen)
    if len(found.threads) > 1:
        count_untracked(models.runtime, f"asyncio.{name}() of a loop whose tasks several threads make or run")
    return found


def _current(models: Models, loop: Any = None) -> Any:
    return _seen(models, loop, "current_task").current


def _all(models: Models, loop: Any = None) -> set[Any]:
    found = [each() for each in _seen(models, loop, "all_tasks").made]
    return {task for task in found if task is not None and not task.done()}


def is_pending(future: Any) -> bool:
    """Whether a future or task in Python is not done, looked up without a step."""
    return bool(vars(future).get("_state", _PENDING) == _PENDING)


def alive(models: Models, loop: Any) -> Callable[[], list[Any]]:
    """A function that returns the tasks of a loop that are not done, in the order of their making."""
    known = of_run(models).tasks

    def find() -> list[Any]:
        found = known.get(id(loop))
        tasks = [] if found is None else [each() for each in found.made]
        return [task for task in tasks if task is not None and is_pending(task)]

    return find


def is_task(thing: Any) -> bool:
    """Whether an object is a task in Python."""
    return "_coro" in getattr(thing, "__dict__", ())


def unretrieved(runtime: Runtime) -> list[tuple[Any, Any]]:
    """The tasks of a run whose exceptions nothing has retrieved, each with its loop."""
    if _loops is None or _loops.models.runtime is not runtime:
        return []
    tasks = [(found.loop, each()) for found in _loops.tasks.values() for each in found.made]
    return [(loop, task) for loop, task in tasks if getattr(task, "__dict__", {}).get("_Future__log_traceback")]


def running_task(models: Models) -> Any:
    """The task that the running thread's loop runs; None if there is none."""
    loops = of_run(models)
    found = loops.tasks.get(id(loops.running.get(models.runtime.current.index)))
    return None if found is None else found.current


_OF_TASKS: Final[dict[str, Callable[..., Any]]] = {
    "_register_task": _register,
    "_register_eager_task": _register,
    "_unregister_task": _unregister,
    "_unregister_eager_task": _unregister,
    "_enter_task": _enter,
    "_leave_task": _leave,
    "_swap_current_task": _swap,
    "current_task": _current,
    "all_tasks": _all,
}


def _within_runs(real: Callable[..., Any], model: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def call(*args: Any, **named: Any) -> Any:
        models = here()
        return real(*args, **named) if models is None else model(models, *args, **named)

    return call


def _number(real: Callable[[], int]) -> Callable[[], int]:
    """The counter of tasks without a name: a new one in each run."""

    def take() -> int:
        models = here()
        if models is None:
            return real()
        named = of_run(models).named
        named.append(models.runtime.current.index)
        return len(named)

    return take


def _get_name(real: Callable[[Any], str]) -> Callable[[Any], str]:
    def get_name(self: Any) -> str:
        models = here()
        if models is not None and len(set(of_run(models).named)) > 1:
            count_untracked(models.runtime, "the numbered name of a task, where several threads make such tasks")
        return real(self)

    return get_name


# -- asynchronous generators ---------------------------------------------------------------------------------------


def _get_hooks() -> Any:
    models = here()
    if models is None:
        return _real_get_hooks()
    return _Hooks(of_run(models).hooks.get(models.runtime.current.index, (None, None)))


_Hooks: Final = type(_real_get_hooks())

_KEEP: Final = object()


def _set_hooks(firstiter: Any = _KEEP, finalizer: Any = _KEEP) -> None:
    models = here()
    if models is None:
        given = {"firstiter": firstiter, "finalizer": finalizer}
        _real_set_hooks(**{name: value for name, value in given.items() if value is not _KEEP})
        return
    hooks, me = of_run(models).hooks, models.runtime.current.index
    if not hooks:
        models.undo.append(functools.partial(_real_set_hooks, *_real_get_hooks()))
        _real_set_hooks(_first_iteration, _finalize)
    before = hooks.get(me, (None, None))
    hooks[me] = (before[0] if firstiter is _KEEP else firstiter, before[1] if finalizer is _KEEP else finalizer)


def _first_iteration(generator: Any) -> None:
    models = here()
    if models is None:
        return
    loops = of_run(models)
    first, finalizer = loops.hooks.get(models.runtime.current.index, (None, None))
    loops.finalizers[id(generator)] = finalizer
    if first is not None:
        first(generator)


def _finalize(generator: Any) -> None:
    models = here()
    if models is None:
        return
    finalizer = of_run(models).finalizers.pop(id(generator), None)
    if finalizer is None:
        count_uncontrolled(models.runtime, "the end of an asynchronous generator without an event loop")
    else:
        finalizer(generator)


# -- putting the models in place -----------------------------------------------------------------------------------


def pairs() -> list[tuple[Any, Any]]:
    """Functions and classes of `asyncio`, with their replacements wherever modules have them; none if it is not
    loaded."""
    events, futures, tasks = (sys.modules.get(MODULES + name) for name in ("events", "futures", "tasks"))
    if events is None or futures is None or tasks is None:
        return []
    found: list[tuple[Any, Any]] = [(getattr(events, name), model) for name, model in _of_events(events).items()]
    for name, model in _OF_TASKS.items():
        known = {id(each): each for each in (vars(tasks).get(name), vars(tasks).get(f"_py_{name.lstrip('_')}")) if each}
        found += [(each, _within_runs(each, model)) for each in known.values()]
    for name in ("future_add_to_awaited_by", "future_discard_from_awaited_by"):  # from 3.14 on
        if hasattr(futures, f"_py_{name}"):
            found.append((getattr(futures, name), getattr(futures, f"_py_{name}")))
    found.append((tasks._task_name_counter, _number(tasks._task_name_counter)))
    for module, name in ((futures, "Future"), (tasks, "Task")):
        if getattr(module, f"_Py{name}", None) is not None and getattr(module, name) is not getattr(
            module, f"_Py{name}"
        ):
            found.append((getattr(module, name), getattr(module, f"_Py{name}")))
    found += [(_real_get_hooks, _get_hooks), (_real_set_hooks, _set_hooks)]
    return found


def _future_init(real: Callable[..., None]) -> Callable[..., None]:
    """``Future()``, also of a task."""

    def future_init(self: Any, *, loop: Any = None) -> None:
        real(self, loop=loop)
        note_birth(self)

    return future_init


async def _nothing() -> None:
    """Makes a coroutine that ends at once."""


def _warm_up() -> None:
    """Fill the caches of `asyncio`, and make its policy: the effect does not depend on the thread that does so
    first."""
    events = sys.modules["asyncio.events"]
    policy = getattr(events, "_get_event_loop_policy", None) or vars(events)["get_event_loop_policy"]
    policy()
    coroutine = _nothing()
    vars(sys.modules["asyncio.coroutines"])["iscoroutine"](coroutine)
    coroutine.close()
    logging.getLogger("asyncio").isEnabledFor(logging.DEBUG)


def install() -> Callable[[], None]:
    """Put the other replacements, of methods and hooks, in place; returns the function that undoes this. `asyncio` must
    be loaded."""
    _warm_up()
    events, tasks = sys.modules["asyncio.events"], sys.modules["asyncio.tasks"]
    task = vars(tasks)["_PyTask"]
    future = vars(sys.modules["asyncio.futures"])["_PyFuture"]
    policy = vars(events).get("BaseDefaultEventLoopPolicy") or vars(events)["_BaseDefaultEventLoopPolicy"]
    replacements: dict[type, dict[str, Any]] = {
        task: {"get_name": _get_name(task.get_name)},
        future: {"__init__": _future_init(future.__init__), "__hash__": hash_of_birth},
        policy: {"_Local": _Local},
    }
    undo, real = replace(replacements, {}), vars(warnings)["_warn_unawaited_coroutine"]

    def warn(coroutine: Any) -> None:
        """Warn of a coroutine that was never awaited, unless the end of an execution has kept it from that."""
        models = current()
        if models is not None and not models.runtime.aborting:
            real(coroutine)

    vars(warnings)["_warn_unawaited_coroutine"] = warn

    def put_back() -> None:
        vars(warnings)["_warn_unawaited_coroutine"] = real
        undo()

    return put_back


class _Local(local):
    """The loop of a policy, by thread."""

    _loop: Any = None
    _set_called = False


def _adopt_policy(models: Models) -> None:
    """Give a policy from before the run, which has loops by thread of the operating system, loops by thread of the
    run."""
    events = sys.modules.get("asyncio.events")
    policy = getattr(events, "_event_loop_policy", None)
    loops = getattr(policy, "_local", None)
    if isinstance(loops, real_local):
        before = dict(loops.__dict__)
        models.undo.append(functools.partial(setattr, policy, "_local", loops))
        policy._local = _Local()  # type: ignore[union-attr]  # it has one
        policy._local.__dict__.update(before)  # type: ignore[union-attr]


beginners.append(_adopt_policy)
