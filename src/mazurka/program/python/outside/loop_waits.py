"""The tasks of an event loop that wait for ever, for reports: what they wait for, where, and who could end it.

A task that has taken a lock is noted with it, since `asyncio` doesn't keep that.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from types import CodeType, FrameType
from typing import Any, Final

from mazurka.program.protocol import BlockedThread
from mazurka.program.python.outside.channels import ChannelWait
from mazurka.program.python.outside.replacing import replace_method
from mazurka.program.python.primitives import event_loops
from mazurka.program.python.primitives.run import Models, location
from mazurka.trace.event import Location

#: What coroutines of `asyncio` wait for, by name.
_WORDS: Final = {
    "Lock.acquire": "Lock",
    "Event.wait": "Event",
    "Condition.wait": "Condition",
    "Semaphore.acquire": "Semaphore",
    "Queue.get": "an item in a Queue",
    "Queue.put": "room in a Queue",
    "Queue.join": "the items of a Queue to be done",
    "Barrier._block": "Barrier",
    "Barrier._wait": "Barrier",
    "StreamReader._wait_for_data": "data of a stream",
    "TaskGroup.__aexit__": "the tasks of a TaskGroup",
}

#: The attribute of a lock that holds the task which has taken it, and the place.
_OWNER: Final = "_mz_owner"


def name_of(task: Any) -> str:
    """A task in reports: its name and that of its coroutine."""
    coroutine = vars(task).get("_coro")
    function = getattr(coroutine, "__name__", type(coroutine).__name__)
    return f"{vars(task)['_name']} ({function})"


class LoopWait(ChannelWait):
    """What a thread waits for that runs a loop."""

    def __init__(self, text: str, models: Models, loop: Any) -> None:
        super().__init__(text)
        self._alive = event_loops.alive(models, loop)

    def within(self) -> list[BlockedThread]:
        """The tasks of the loop, as they wait."""
        return [blocked(task) for task in self._alive()]


def blocked(task: Any) -> BlockedThread:
    """What a task waits for, and where."""
    frames = list(_frames(vars(task)["_coro"]))
    own = [frame for frame in frames if _is_own(frame)]
    known = [frame for frame in frames if frame.f_code.co_qualname in _WORDS]
    inner = known[0] if known else None
    if known and known[-1].f_code.co_qualname == "Lock.acquire":  # after a wait for a Condition
        inner = known[-1]
    place = _place(own[-1] if own else None)
    waiter = vars(task).get("_fut_waiter")
    if inner is not None:
        held_by, since = _owner_of(inner.f_locals.get("self"))
        return BlockedThread(name_of(task), _WORDS[inner.f_code.co_qualname], held_by, place, since)
    pending = next((each for each in _tasks_behind(waiter) if event_loops.is_pending(each)), None)
    if pending is not None:
        return BlockedThread(name_of(task), f"{name_of(pending)} to end", name_of(pending), place)
    return BlockedThread(name_of(task), "a Future", None, place)


def _frames(coroutine: Any) -> Iterable[FrameType]:
    """The frames of a coroutine and of those that it awaits, outermost first."""
    while coroutine is not None:
        for prefix in ("cr", "gi", "ag"):
            frame = getattr(coroutine, f"{prefix}_frame", None)
            if frame is not None:
                yield frame
                break
        coroutine = next(
            (found for name in ("cr_await", "gi_yieldfrom", "ag_await") if (found := getattr(coroutine, name, None))),
            None,
        )


def _is_own(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__"))
    return not name.startswith((event_loops.MODULES, "mazurka."))


def _place(frame: FrameType | None) -> Location | None:
    return None if frame is None else location((frame.f_code, frame.f_lasti))


def _tasks_behind(waiter: Any) -> Iterable[Any]:
    """The tasks that a future stands for."""
    if event_loops.is_task(waiter):
        yield waiter
    elif type(waiter).__name__ == "_GatheringFuture":  # that of `gather`
        for each in waiter._children:
            yield from _tasks_behind(each)


def _owner_of(lock: Any) -> tuple[str | None, Location | None]:
    owner = getattr(lock, "__dict__", {}).get(_OWNER)
    if owner is None:
        return None, None
    task, place = owner
    return name_of(task), location(place)


def _acquire(models: Models, real: Callable[[Any], Coroutine[Any, Any, bool]], lock: Any) -> Coroutine[Any, Any, bool]:
    return _acquiring(models, real(lock), lock)


async def _acquiring(models: Models, taking: Coroutine[Any, Any, bool], lock: Any) -> bool:
    taken = await taking
    task = event_loops.running_task(models)
    if task is not None:
        vars(lock)[_OWNER] = task, _where(task)
    return taken


def _where(task: Any) -> tuple[CodeType, int] | None:
    own = [each for each in _frames(vars(task)["_coro"]) if _is_own(each)]
    return (own[-1].f_code, own[-1].f_lasti) if own else None


def _release(models: Models, real: Callable[[Any], None], lock: Any) -> None:
    vars(lock).pop(_OWNER, None)
    real(lock)


replace_method("asyncio.locks", "Lock.acquire", _acquire)
replace_method("asyncio.locks", "Lock.release", _release)
