"""An abstract model of what ``concurrent.futures.as_completed`` waits for: futures take places as they end.

CPython's own code is a list, a lock and an event: each future that ends takes the lock, appends itself and sets the
event; the thread that iterates waits for the event, takes the lock and the whole list, and clears the event. Orders of
all these steps have to be explored. But the thread hands the futures of a list out one by one, in the order in which
they have ended, so all that a program can see is that order. In the model a future that ends takes the next place (a
step), and the thread waits for the future at the next place, as with a queue (:mod:`.fifo_queues`).

Why this is exact. Let the thread of CPython's code find several futures in the list. It hands out the second of them
without waiting; the thread of the model finds it at its place and does not wait either. In between both execute the
same steps, under the locks of futures. Conversely, let the thread of the model find the future at the next place. In
CPython's code that future is in the list that the thread has taken, or the event is set, since it was set after the
future came into the list, and is cleared only together with the list.

With a limit of time the thread looks at the clock before it waits, so the program can see which futures were in one
list. Then CPython's own code is run: this is learnt, and the search begins again.

Source: ``Lib/concurrent/futures/_base.py`` of CPython 3.11 to 3.15.
"""

from __future__ import annotations

import concurrent.futures._base
from typing import Any, Final

from mazurka.program.python.primitives.abstract_models import mark_of
from mazurka.program.python.primitives.locks import Lock
from mazurka.program.python.primitives.run import Models, Where, here, location
from mazurka.program.runtime.task import Task
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, Target

#: The function in words.
_NAME: Final = "as_completed()"

_Waiter: Final[Any] = concurrent.futures._base.__dict__["_AsCompletedWaiter"]


class Completions:
    """Stands for the lock and for the event of a waiter: futures that have ended, in this order.

    ``given`` of them have been handed out."""

    __slots__ = ("born", "ended", "given", "models", "number", "waiter")

    def __init__(self, models: Models, waiter: Any, lock: Lock) -> None:
        self.models = models
        self.waiter = waiter
        self.number = lock._number
        self.born: Where | None = lock._born
        self.ended: list[Any] = []
        self.given = 0

    # -- what a thread waits for, in words --------------------------------------------------------------------------

    def describe(self) -> str:
        """The event, for reports."""
        place = location(self.born)
        return f"the next future of {_NAME}" + ("" if place is None else f" at {place}")

    def holder(self) -> Task | None:
        """No thread has it."""
        return None

    # -- locations --------------------------------------------------------------------------------------------------

    def _end(self, which: str) -> Target:
        return (Kind.QUEUE_END.tag, self.number, which)

    def _place(self, number: int) -> Target:
        place = (Kind.QUEUED.tag, self.number, number)
        if self.models.runtime.detail and not self.models.runtime.keyed:
            self.models.runtime.names.setdefault(place, _NAME)
        return place

    # -- operations -------------------------------------------------------------------------------------------------

    def add(self, future: Any) -> None:
        """A future has ended. Only the first step is a point: no thread can go on before the second."""
        runtime = self.models.runtime
        if runtime.aborting or here() is not self.models:
            self.ended.append(future)  # no step: the run is over
            return
        runtime.visit(Op.RMW, self._end("tail"), 0, None, (), True)
        place = len(self.ended)
        self.ended.append(None)
        runtime.record_value(place)
        runtime.visit(Op.WRITE, self._place(place), 0, None, (), False)
        self.ended[place] = future

    def wait(self, timeout: float | None = None) -> None:
        """Wait for the next future, and put it into the list of the waiter."""
        runtime = self.models.runtime
        if timeout is not None:
            runtime.need_points(mark_of("completions", self.number))
            runtime.stop("the run was cut where CPython's own code takes over as_completed() from its model")
            return
        runtime.visit(Op.RMW, self._end("head"), 0, None, (), True)
        place, self.given = self.given, self.given + 1
        runtime.record_value(place)
        came = self._place(place)
        runtime.block(Op.READ, came, lambda: self._has(place), waiting_for=self, point=False)
        self.waiter.finished_futures.append(self.ended[place])
        self.ended[place] = True  # the future may go

    def _has(self, place: int) -> bool:
        return place < len(self.ended) and self.ended[place] is not None

    def clear(self) -> None:
        """The event is cleared together with the list, which has one future."""

    def __enter__(self) -> None:
        """The lock is taken: no other thread adds to the list of the waiter."""

    def __exit__(self, *error: object) -> None:
        """The lock is released."""


def begin(waiter: Any) -> bool:
    """Have a waiter run abstractly; false if CPython's own code is to run it."""
    models, lock = here(), waiter.__dict__["lock"]
    if models is None or type(lock) is not Lock:
        return False
    runtime = models.runtime
    if runtime.solo or runtime.is_recording or runtime.aborting:
        return False
    if mark_of("completions", lock._number) in runtime.points:
        return False
    waiter.lock = waiter.event = Completions(models, waiter, lock)
    return True


def adding(original: Any) -> Any:
    """A method of waiters by which a future reports its end."""

    def add(self: Any, future: Any) -> None:
        event = self.__dict__["event"]
        if type(event) is Completions:
            event.add(future)
        else:
            original(self, future)

    return add


#: The methods by which a future reports its end.
ADDING: Final = {name: adding(_Waiter.__dict__[name]) for name in ("add_result", "add_exception", "add_cancelled")}
