"""Models of the primitives that ``threading`` builds on locks: Condition, Semaphore, BoundedSemaphore, Event, Timer.

These are Python classes, so their methods are replaced in place: a class captured, subclassed or instantiated before
the check is modelled nevertheless, and all other methods are CPython's own code. Source: ``Lib/threading.py`` and the
library reference.

- ``Condition.wait``: RELEASE of the lock with WAIT on ("cond", n); parked; READ of the waiter's own ("wake", m) and
  ACQUIRE of the lock, one step when the wait has no timeout. A timed wait is two: the end of the parking, then the
  lock. ``notify`` is NOTIFY on ("cond", n) and WRITE on the ("wake", m) of the threads that it wakes, in the order in
  which they came. It happens under the lock, and so is no point, unless a timed waiter can see it, or some thread
  notifies while another one has the lock.
- ``Event``: ``set``/``clear`` WRITE ("event", n), ``is_set`` and ``wait`` READ it. Where a program clears events, a
  ``wait`` is two steps, arriving and waking up, because a ``set`` directly undone by ``clear`` wakes the threads that
  have arrived.
- ``Semaphore``: RMW of ("sem", n), held back while the value is 0.
- ``Timer``: its interval passes like a ``sleep``, so that it may fire at any time.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.protocol import Access, CountChange
from mazurka.program.python.primitives import wait_loops
from mazurka.program.python.primitives.callbacks import called, condition_wait_for
from mazurka.program.python.primitives.locks import MODELS, Lock, adopted, patience, real_lock_type, real_rlock_type
from mazurka.program.python.primitives.private import Peeked, Private, Stored, replace, untracked_method
from mazurka.program.python.primitives.run import Models, PrimitiveState, born, here, model_of
from mazurka.program.runtime.task import MISUSE_POINTS, RELEASE_POINTS, Task
from mazurka.trace.event import Op
from mazurka.trace.targets import CONDITION, EVENT, SEMAPHORE, WAKE, Kind, Target

#: Mark in ``Learned.points``: the program clears events.
CLEAR_POINTS: Final = -3

_original: Final[dict[tuple[type, str], Any]] = {}


class Waiter:
    """One parked thread."""

    __slots__ = ("notified", "on", "target", "timed", "with_lock")

    def __init__(self, models: Models, on: PrimitiveState, with_lock: Any, timed: bool) -> None:
        self.target: Target = (WAKE, models.number())
        self.on = on
        self.with_lock = with_lock
        self.timed = timed
        self.notified = False

    def is_notified(self) -> bool:
        """The guard of the wait itself: a notification has come."""
        return self.notified

    def can_resume(self) -> bool:
        """The guard of taking the lock again: the thread has been notified, and the lock is free."""
        return self.notified and self.with_lock._free()

    def describe(self) -> str:
        if self.notified and self.with_lock is not None:
            return str(self.with_lock.describe())
        return f"a notification of {self.on.describe()}" if self.on.kind == CONDITION else self.on.describe()

    def holder(self) -> Task | None:
        return self.with_lock.holder() if self.notified and self.with_lock is not None else None


# -- Condition -------------------------------------------------------------------------------------------------------


def condition_init(self: Any, lock: Any = None) -> None:
    """``threading.Condition()``; a real lock given to it is replaced by the model of it."""
    born(self, CONDITION)
    if type(lock) is real_lock_type or type(lock) is real_rlock_type:
        lock = adopted(lock)
    _original[threading.Condition, "__init__"](self, lock)


def adopt_condition(condition: Any) -> None:
    """Give a condition made over a real lock the lock's model."""
    lock = condition._lock
    if type(lock) is not real_lock_type and type(lock) is not real_rlock_type:
        return
    rebind_lock(condition, adopted(lock))


#: The methods that a condition takes over from its lock, if the lock has them.
_EXPORTED: Final = (
    *("acquire", "release", "_release_save", "_acquire_restore", "_is_owned"),
    *(["locked"] if sys.version_info >= (3, 14) else []),
)


def rebind_lock(condition: Any, model: Any) -> None:
    """Make ``model`` the lock of a condition, and have the condition export the methods of this lock."""
    condition._lock = model
    for name in _EXPORTED:
        condition.__dict__.pop(name, None)
        if hasattr(model, name):
            condition.__dict__[name] = getattr(model, name)


def condition_enter(self: Any) -> Any:
    """``with condition``."""
    if here() is not None:
        adopt_condition(self)
    return self._lock.__enter__()


wait_loops.enters_through(condition_enter.__code__)


def condition_is_owned(self: Any) -> bool:
    """``Condition._is_owned``: exact for a model's lock, where CPython tries to take it."""
    models = here()
    if models is not None and type(self._lock) is Lock:
        return self._lock._held_now(models)
    return bool(_original[threading.Condition, "_is_owned"](self))


def condition_wait(self: Any, timeout: float | None = None) -> bool:
    """``Condition.wait``: releases the lock in one step, and acquires it again in another after a notification."""
    models = here()
    if models is None:
        return bool(_original[threading.Condition, "wait"](self, timeout))
    runtime = models.runtime
    state = model_of(self, models, CONDITION)
    adopt_condition(self)
    if not self._is_owned():
        if runtime.aborting:
            return False
        raise RuntimeError("cannot wait on un-acquired lock")
    lock = self._lock
    modelled = type(lock) in MODELS
    waiter = Waiter(models, state, lock if modelled else None, timeout is not None)
    parking = Access(Op.WAIT, state.target)
    patient, wrong = _patience(timeout)
    if wrong is not None:
        raise wrong
    if not modelled:
        runtime.need_points(MISUSE_POINTS)  # which thread has the lock is not known
        runtime.visit(Op.WAIT, state.target, 0, point=MISUSE_POINTS in runtime.points)
        self.__dict__["_waiters"].append(waiter)
        saved = self._release_save()
    else:
        saved = lock._hand_over(models, (parking,))
        self.__dict__["_waiters"].append(waiter)
    if modelled and timeout is None:
        woken = Access(Op.READ, waiter.target)
        wait_loops.take(lock, models, sys._getframe(1), waiter.can_resume, waiter, self, (woken,))
        lock._take_back(models, saved)
        return True
    if patient:
        notified = runtime.block(Op.READ, waiter.target, waiter.is_notified, waiting_for=waiter, timeout=timeout)
    else:
        notified = runtime.attempt(Op.READ, waiter.target, waiter.is_notified)
    if modelled:
        leaving = () if notified else (Access(Op.RMW, state.target),)
        runtime.block(lock._taking, lock._target, lock._free, waiting_for=lock, more=leaving)
        lock._take_back(models, saved)
    else:
        self._acquire_restore(saved)
        if not notified:
            runtime.visit(Op.RMW, state.target, 0, point=False)
    if not notified and waiter in self.__dict__["_waiters"]:
        self.__dict__["_waiters"].remove(waiter)
    return notified


wait_loops.waits_through(condition_wait.__code__, condition_wait_for.__code__)


def _patience(timeout: float | None) -> tuple[bool, Exception | None]:
    """Whether a wait is more than a look, and the error in its timeout: raised where a thread has to wait, as by
    CPython's own code, but before a condition's lock is released."""
    if timeout is None:
        return True, None
    try:
        waits = (
            timeout > 0 if sys.version_info < (3, 14) else not timeout <= 0
        )  # it raises for objects that are no numbers
        if waits:
            patience(True, timeout)
    except (TypeError, ValueError, OverflowError) as error:
        return False, error
    return waits, None


def condition_notify(self: Any, n: int = 1) -> None:
    """``Condition.notify``: wakes the ``n`` threads that have waited longest."""
    models = here()
    if models is None:
        _original[threading.Condition, "notify"](self, n)
        return
    _notify(self, models, n, Op.NOTIFY)


def condition_notify_all(self: Any) -> None:
    """``Condition.notify_all``."""
    models = here()
    if models is None:
        _original[threading.Condition, "notify_all"](self)
        return
    _notify(self, models, None, Op.NOTIFY_ALL)


def _notify(self: Any, models: Models, n: int | None, op: Op) -> None:
    state = model_of(self, models, CONDITION)
    adopt_condition(self)
    if not self._is_owned():
        if models.runtime.aborting:
            return
        raise RuntimeError("cannot notify on un-acquired lock")
    runtime = models.runtime
    if not _holds(runtime.current, self._lock):
        runtime.need_points(MISUSE_POINTS)
    waiters = self.__dict__["_waiters"]
    if n is not None and n <= 0:
        return
    misused = MISUSE_POINTS in runtime.points
    if misused:  # other threads may come to wait, or leave, while this one stands at the point
        runtime.visit(op, state.target, 0, point=True)
    woken = _to_wake(waiters, n)
    more = [Access(Op.WRITE, waiter.target) for waiter in woken]
    if misused:
        runtime.widen(more)
    else:
        runtime.visit(op, state.target, 0, None, tuple(more), point=any(waiter.timed for waiter in woken))
    for waiter in woken:
        waiter.notified = True
        waiters.remove(waiter)


def _to_wake(waiters: Any, n: int | None) -> list[Waiter]:
    """The ``n`` threads that have waited longest; None: all."""
    return [waiters[at] for at in range(len(waiters) if n is None else min(n, len(waiters)))]


def _holds(task: Task, lock: Any) -> bool:
    """Whether a thread has a condition's lock, which is known to be held: perhaps by another thread."""
    return type(lock) in MODELS and lock.holder() is task


def condition_repr(self: Any) -> str:
    """``repr(condition)`` reads the lock."""
    look_at_lock(self)
    return str(_original[threading.Condition, "__repr__"](self))


# -- Semaphore -------------------------------------------------------------------------------------------------------


def semaphore_init(self: Any, value: int = 1) -> None:
    """``threading.Semaphore()``."""
    if value < 0:
        raise ValueError("semaphore initial value must be >= 0")
    if born(self, SEMAPHORE) is None:
        _original[threading.Semaphore, "__init__"](self, value)
    else:
        self.__dict__["_value"] = value


def semaphore_acquire(self: Any, blocking: bool = True, timeout: float | None = None) -> bool:
    """``Semaphore.acquire``: one step, where CPython has a condition around a counter."""
    models = here()
    if models is None:
        return bool(_original[threading.Semaphore, "acquire"](_outlives(self), blocking, timeout))
    if not blocking and timeout is not None:
        raise ValueError("can't specify timeout for non-blocking acquire")
    runtime = models.runtime
    state = model_of(self, models, SEMAPHORE)

    def available() -> bool:
        return self.__dict__["_value"] > 0  # type: ignore[no-any-return]

    patient, wrong = _patience(timeout) if blocking else (False, None)
    if not patient:
        taken = runtime.attempt(Op.RMW, state.target, available)
        if wrong is not None and not taken:
            raise wrong
    else:
        taken = runtime.block(Op.RMW, state.target, available, waiting_for=state, timeout=timeout)
        if timeout is None:
            _note_permits(self, runtime, state.target, -1)
    self.__dict__["_value"] -= taken
    runtime.record_value(self.__dict__["_value"], whole=True)
    return taken


def semaphore_release(self: Any, n: int = 1) -> None:
    """``Semaphore.release``: one step."""
    models = here()
    if models is None:
        _original[threading.Semaphore, "release"](_outlives(self), n)
        return
    if n < 1:
        raise ValueError("n must be one or more")
    state = model_of(self, models, SEMAPHORE)
    models.runtime.visit(Op.RMW, state.target, 0, point=True)
    _note_permits(self, models.runtime, state.target, n)
    self.__dict__["_value"] += n
    models.runtime.record_value(self.__dict__["_value"], whole=True)


def _note_permits(semaphore: Any, runtime: Any, target: Target, change: int, has_bound: bool = False) -> None:
    """The last step takes permits or gives them back, and shows nothing of how many there are."""
    if runtime.relates and not (runtime.solo or runtime.aborting):  # otherwise there is no such step
        assert runtime.log[-1][2] is target
        before = semaphore.__dict__["_value"]
        runtime.count_changes[len(runtime.log) - 1] = CountChange(target, change, before, has_bound)


def bounded_release(self: Any, n: int = 1) -> None:
    """``BoundedSemaphore.release``: one step, which also tests the bound."""
    models = here()
    if models is None:
        _original[threading.BoundedSemaphore, "release"](_outlives(self), n)
        return
    if n < 1:
        raise ValueError("n must be one or more")
    state = model_of(self, models, SEMAPHORE)
    models.runtime.visit(Op.RMW, state.target, 0, point=True)
    if self.__dict__["_value"] + n > self._initial_value:
        raise ValueError("Semaphore released too many times")
    _note_permits(self, models.runtime, state.target, n, has_bound=True)
    self.__dict__["_value"] += n
    models.runtime.record_value(self.__dict__["_value"], whole=True)


def _look_at_value(self: Any) -> None:
    models = here()
    if models is not None:
        models.runtime.visit(Op.READ, model_of(self, models, SEMAPHORE).target, 0, point=True)


def semaphore_repr(self: Any) -> str:
    """``repr(semaphore)`` reads the counter."""
    _look_at_value(self)
    return str(_original[threading.Semaphore, "__repr__"](self))


def bounded_repr(self: Any) -> str:
    """``repr(bounded_semaphore)`` reads the counter."""
    _look_at_value(self)
    return str(_original[threading.BoundedSemaphore, "__repr__"](self))


# -- Event -----------------------------------------------------------------------------------------------------------


class LazyCondition:
    """``_cond`` of an event or a semaphore made in a run: only needed if it outlives the run."""

    def __get__(self, thing: Any, owner: type | None = None) -> Any:
        if thing is None:
            raise AttributeError("_cond")
        condition = thing.__dict__["_cond"] = threading.Condition(threading.Lock())
        return condition


def _parking(state: PrimitiveState) -> Target:
    """The threads that wait for an event that is cleared again. Each wait changes this location, and so does ``set``:
    the threads that it wakes follow from the waits before it, not from the flag, which may have been set and cleared in
    between."""
    return (Kind.PARKED.tag, state.target[1])


def _outlives(thing: Any) -> Any:
    """Give an event or a semaphore that is used outside a run its condition, without which it may have been made."""
    if "_cond" not in thing.__dict__:
        thing.__dict__["_cond"] = threading.Condition(threading.Lock())
    return thing


def event_init(self: Any) -> None:
    """``threading.Event()``."""
    if born(self, EVENT) is not None:
        self.__dict__["_flag"] = False
    else:
        _original[threading.Event, "__init__"](self)


def event_is_set(self: Any) -> bool:
    """``Event.is_set``: reads the flag."""
    models = here()
    if models is None:
        return bool(self.__dict__["_flag"])
    state = model_of(self, models, EVENT)
    models.runtime.visit(Op.READ, state.target, 0, point=True)
    models.runtime.record_value(self.__dict__["_flag"], whole=True)
    return bool(self.__dict__["_flag"])


def event_repr(self: Any) -> str:
    """``repr(event)`` reads the flag."""
    event_is_set(self)
    return str(_original[threading.Event, "__repr__"](self))


def event_set(self: Any) -> None:
    """``Event.set``: one step; threads that wait at this moment go on even if the flag is cleared at once."""
    models = here()
    if models is None:
        _original[threading.Event, "set"](_outlives(self))
        return
    state = model_of(self, models, EVENT)
    runtime = models.runtime
    woken: list[Access] = [Access(Op.RMW, _parking(state))] if CLEAR_POINTS in runtime.points else []

    def wake() -> bool:
        self.__dict__["_flag"] = True
        for waiter in state.parked:
            waiter.notified = True
            woken.append(Access(Op.WRITE, waiter.target))
        state.parked.clear()
        return True

    runtime.attempt(Op.WRITE, state.target, wake, woken)
    runtime.record_value(True, whole=True)


def event_clear(self: Any) -> None:
    """``Event.clear``: one step."""
    models = here()
    if models is None:
        _original[threading.Event, "clear"](_outlives(self))
        return
    state = model_of(self, models, EVENT)
    models.runtime.need_points(CLEAR_POINTS)
    models.runtime.visit(Op.WRITE, state.target, 0, point=True)
    self.__dict__["_flag"] = False
    models.runtime.record_value(False, whole=not state.parked)


def event_wait(self: Any, timeout: float | None = None) -> bool:
    """``Event.wait``: passes in one step if the flag is set, otherwise waits for a ``set`` to come."""
    models = here()
    if models is None:
        return bool(_original[threading.Event, "wait"](_outlives(self), timeout))
    runtime = models.runtime
    state = model_of(self, models, EVENT)

    def is_set() -> bool:
        return self.__dict__["_flag"]  # type: ignore[no-any-return]

    patient, wrong = _patience(timeout)
    if not patient:
        seen = runtime.attempt(Op.READ, state.target, is_set)
        if wrong is not None and not seen:
            raise wrong
        return seen
    waiter = Waiter(models, state, None, timeout is not None)
    if CLEAR_POINTS not in runtime.points or runtime.solo:
        state.parked.append(waiter)
        woken = runtime.block(
            Op.READ, state.target, lambda: self.__dict__["_flag"] or waiter.notified, waiting_for=state, timeout=timeout
        )
    else:
        runtime.visit(Op.READ, state.target, 0, None, (Access(Op.RMW, _parking(state)),), point=True)
        if self.__dict__["_flag"]:
            return True
        state.parked.append(waiter)
        woken = runtime.block(
            Op.READ, waiter.target, waiter.is_notified, waiting_for=waiter, timeout=timeout, point=timeout is not None
        )
    if waiter in state.parked:
        state.parked.remove(waiter)
    return woken


# -- Timer -----------------------------------------------------------------------------------------------------------


def look_at_lock(condition: Any) -> None:
    """Pass the step of reading, without the lock of a condition, state that changes under that lock."""
    models = here()
    lock = condition._lock
    if models is not None and type(lock) in MODELS:
        models.runtime.need_points(RELEASE_POINTS)
        models.runtime.visit(Op.READ, lock._target, 0, point=True)


def timer_run(self: Any) -> None:
    """``Timer.run``: the interval passes in virtual time."""
    models = here()
    if models is None or type(self.finished) is not threading.Event:
        _original[threading.Timer, "run"](self)
        return
    models.runtime.sleep(self.interval)
    if not self.finished.is_set():
        called(self.function, *self.args, **self.kwargs)
    self.finished.set()


#: class -> attribute -> its replacement.
REPLACEMENTS: Final[dict[type, dict[str, Any]]] = {
    threading.Condition: {
        "__init__": condition_init,
        "__enter__": condition_enter,
        "_is_owned": condition_is_owned,
        "_waiters": Private("_waiters"),
        "_lock": Stored("_lock"),
        "__repr__": condition_repr,
        "_at_fork_reinit": untracked_method(threading.Condition, "_at_fork_reinit", _original),
        "wait": condition_wait,
        "notify": condition_notify,
        "notify_all": condition_notify_all,
    },
    threading.Semaphore: {
        "__init__": semaphore_init,
        "_cond": LazyCondition(),
        "_value": Peeked("_value", SEMAPHORE),
        "acquire": semaphore_acquire,
        "__enter__": semaphore_acquire,
        "release": semaphore_release,
        "__repr__": semaphore_repr,
    },
    threading.BoundedSemaphore: {"release": bounded_release, "__repr__": bounded_repr},
    threading.Event: {
        "__init__": event_init,
        "_cond": LazyCondition(),
        "_flag": Peeked("_flag", EVENT),
        "is_set": event_is_set,
        "set": event_set,
        "clear": event_clear,
        "wait": event_wait,
        "__repr__": event_repr,
        "_at_fork_reinit": untracked_method(threading.Event, "_at_fork_reinit", _original),
    },
    threading.Timer: {"run": timer_run},
}


def install() -> Callable[[], None]:
    """Replace the methods; returns the function that puts the real ones back."""
    return replace(REPLACEMENTS, _original)
