"""Model of ``queue.SimpleQueue``, which is C code. The other queues are CPython's own code over the modelled locks
and conditions, or run abstractly (:mod:`fifo_queues`).

Programs that look into such a queue without its lock READ that lock (:class:`Inside`).

One target, ("queue", n): ``put`` and ``get`` are RMWs, ``get`` waits while the queue is empty; looks are READs.
"""

from __future__ import annotations

import queue
import sys
from collections import deque
from collections.abc import Callable
from types import FrameType, GenericAlias
from typing import Any, Final

from mazurka.program.python.primitives import fifo_queues
from mazurka.program.python.primitives.locks import Lock
from mazurka.program.python.primitives.private import Stored, replace
from mazurka.program.python.primitives.run import (
    INNER,
    MET,
    Models,
    beginners,
    count_untracked,
    describe,
    here,
    outside_number,
    where,
)
from mazurka.program.runtime.task import RELEASE_POINTS, Task
from mazurka.trace.event import Op
from mazurka.trace.targets import QUEUE, Target

real_simple_queue: Final[Any] = queue.SimpleQueue

#: Real queues that the run in progress has met -> their models.
_met: Final[dict[int, Any]] = {}


def adopted_queue(real: Any, frame: FrameType | None = None) -> SimpleQueue:
    """The model of a queue that the program has made as a real one; within a run, always the same."""
    model: SimpleQueue | None = _met.get(id(real))
    if model is None:
        model = SimpleQueue()
        model._mz_models = None  # the first use takes over the items
        model._mz_real = real
        models = here()
        if models is not None:
            _met[id(real)] = model
            model._mz_born = where(frame)
            model._mz_target = (QUEUE, models.number(MET))
    return model


beginners.append(lambda models: models.undo.append(_met.clear))


class SimpleQueue:
    """Simple, unbounded, reentrant FIFO queue."""

    def __init__(self) -> None:
        frame = sys._getframe(1)
        self._mz_models = models = here()
        self._mz_real: Any = None
        self._mz_items: deque[Any] = deque()
        self._mz_born = where(frame)
        self._mz_target: Target = (QUEUE, outside_number(frame) if models is None else models.number())

    __class_getitem__: Any = classmethod(GenericAlias)

    def _mz_outside(self) -> Any:
        if self._mz_real is None:
            self._mz_real = real_simple_queue()
        return self._mz_real

    def _mz_enter(self, models: Models) -> None:
        if self._mz_models is models:
            return
        self._mz_models = models
        self._mz_items = deque()
        if self._mz_real is not None:
            for _ in range(self._mz_real.qsize()):
                item = self._mz_real.get_nowait()
                self._mz_items.append(item)
                self._mz_real.put(item)

    def _mz_filled(self) -> bool:
        return bool(self._mz_items)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Put the item on the queue; never blocks, the arguments are there for compatibility with Queue."""
        models = here()
        if models is None:
            self._mz_outside().put(item, block, timeout)
            return
        self._mz_enter(models)
        models.runtime.visit(Op.RMW, self._mz_target, 0, point=True)
        self._mz_items.append(item)
        models.runtime.record_value(len(self._mz_items))

    def put_nowait(self, item: Any) -> None:
        """``SimpleQueue.put_nowait``."""
        self.put(item, block=False)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Remove and return an item from the queue."""
        models = here()
        if models is None:
            return self._mz_outside().get(block, timeout)
        if block and timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        self._mz_enter(models)
        runtime = models.runtime
        if not block or (timeout is not None and timeout <= 0):
            there = runtime.attempt(Op.RMW, self._mz_target, self._mz_filled)
        else:
            there = runtime.block(Op.RMW, self._mz_target, self._mz_filled, waiting_for=self, timeout=timeout)
        runtime.record_value(len(self._mz_items) - there)
        if not there:
            raise queue.Empty
        return self._mz_items.popleft()

    def get_nowait(self) -> Any:
        """``SimpleQueue.get_nowait``; an empty queue raises ``queue.Empty``."""
        return self.get(block=False)

    def _mz_take_last(self, models: Models) -> Any:
        """Take back the item that the running thread has just put on the queue."""
        models.runtime.visit(Op.RMW, self._mz_target, 0)
        item = self._mz_items.pop()
        models.runtime.record_value(len(self._mz_items))
        return item

    def _mz_look(self) -> int:
        models = here()
        if models is None:
            return int(self._mz_outside().qsize())
        self._mz_enter(models)
        models.runtime.visit(Op.READ, self._mz_target, 0, point=True)
        models.runtime.record_value(len(self._mz_items))
        return len(self._mz_items)

    def empty(self) -> bool:
        """Return True if the queue is empty, False otherwise (not reliable!)."""
        return not self._mz_look()

    def qsize(self) -> int:
        """Return the approximate size of the queue (not reliable!)."""
        return self._mz_look()

    def describe(self) -> str:
        return describe("an item in SimpleQueue", self._mz_born)

    def holder(self) -> Task | None:
        return None


SimpleQueue.__module__ = "_queue"


class Inside:
    """An attribute of ``queue.Queue`` that changes under its lock. A read of it without the lock reads the lock."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, thing: Any, owner: type | None = None) -> Any:
        if thing is None or self.name not in thing.__dict__:
            raise AttributeError(f"{getattr(owner, '__name__', '')!r} object has no attribute {self.name!r}")
        models, outer = here(), sys._getframe(1).f_code.co_filename not in INNER
        if outer:
            (fifo_queues.shown if self.name == "queue" else fifo_queues.peeked)(thing)
        if models is not None and outer:
            mutex = thing.mutex
            if isinstance(mutex, Lock) and mutex.holder() is not models.runtime.current:
                models.runtime.need_points(RELEASE_POINTS)
                models.runtime.visit(Op.READ, mutex._target, 0, point=True)
        return thing.__dict__[self.name]

    def __set__(self, thing: Any, value: Any) -> None:
        models = here()
        if models is not None and self.name in thing.__dict__:  # otherwise it is being made
            if sys._getframe(1).f_code.co_filename not in INNER:
                fifo_queues.peeked(thing)
            mutex = thing.mutex
            if isinstance(mutex, Lock) and mutex.holder() is not models.runtime.current:
                count_untracked(models.runtime, f"assignment to {type(thing).__name__}.{self.name}")
        thing.__dict__[self.name] = value


#: class -> attribute -> its replacement.
REPLACEMENTS: Final[dict[type, dict[str, Any]]] = {
    queue.Queue: {
        **{name: Inside(name) for name in ("queue", "unfinished_tasks", "is_shutdown")},
        "maxsize": Stored("maxsize"),
        **fifo_queues.REPLACEMENTS,
    },
    **{
        owner: {name: fifo_queues.storing(owner, name) for name in ("_put", "_get", "_qsize")}
        for owner in (queue.LifoQueue, queue.PriorityQueue)
    },
}


def install() -> Callable[[], None]:
    """Replace the class; returns the function that puts the real one back."""
    return replace(REPLACEMENTS, fifo_queues._original)
