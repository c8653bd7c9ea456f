"""The input of the streaming orders: columns in consecutive parts, whose numbers only grow.

An event's number is its place in the stream, below 2**31. Two threads of the operating system are used if a trace is
long enough for that to pay; kernels do not hold the interpreter's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from mazurka.errors import MazurkaError
from mazurka.lazy_dataclass import dataclass
from mazurka.order.racy_events import RacyEvents
from mazurka.trace.columns import LARGEST
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace

#: For traces with more events than this a second thread pays.
LONG: Final = 200_000

#: The number of events that one thread hands to the other at a time.
PIECE: Final = 1 << 17


class EventColumns(NamedTuple):
    """Consecutive events."""

    thread: NDArray[np.int32]
    op: NDArray[np.int8]
    target: NDArray[np.int32]

    def pieces(self) -> Iterator[EventColumns]:
        """The same events in blocks of ``PIECE``; views, not copies."""
        for at in range(0, len(self.thread), PIECE):
            yield self.between(at, at + PIECE)

    def between(self, start: int, end: int) -> EventColumns:
        """The events from ``start`` up to ``end``; views, not copies."""
        return EventColumns(self.thread[start:end], self.op[start:end], self.target[start:end])

    def unsigned(self) -> tuple[Any, Any, Any]:
        """The columns as unsigned integers: compiled code need not test whether such an index is negative, a test that
        takes a third of the time of a kernel that does little for an event."""
        return self.thread.view(np.uint32), self.op.view(np.uint8), self.target.view(np.uint32)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The ranges of the numbers in columns: the number of threads, and for each target the thread that it is (-1:
    none)."""

    threads: int
    thread_of_target: NDArray[np.int32]

    @property
    def targets(self) -> int:
        """The number of targets."""
        return len(self.thread_of_target)


class Stream(Protocol):
    """An order that is given a trace part by part."""

    def feed(self, columns: EventColumns, sizes: Sizes) -> None:
        """Process the next events; sizes may have grown since the last call."""

    def racy_events(self) -> RacyEvents:
        """The racy events found so far."""


def with_events(events: int, columns: EventColumns) -> int:
    """The number of events including these, if they can be numbered."""
    if events + len(columns.thread) > LARGEST:
        raise MazurkaError("trace-too-large", f"more than {LARGEST:,} events: they can't be numbered")
    return events + len(columns.thread)


def columns_of(trace: Trace, data: NDArray[np.bool_] | None = None) -> EventColumns:
    """The columns of a trace. Reads and writes of a target that is no ``data`` (by target; None: all are) order, and
    can't race; an acquire of a lock that is also looked at is a write of it."""
    op = np.asarray(trace.op, np.int8)
    target = np.asarray(trace.target, np.int32)
    if data is not None:
        orders, looks, takes = ~data[target], (op == Op.READ) | (op == Op.RMW), op == Op.ACQUIRE
        looked_at = np.zeros(len(data), np.bool_)
        looked_at[target[orders & looks]] = True
        writes = op == Op.WRITE
        op = np.where(orders & (op == Op.READ), np.int8(Op.ACQUIRE), op)
        op = np.where(orders & writes, np.int8(Op.RELEASE), op)
        op = np.where(takes & looked_at[target], np.int8(Op.RMW), op)
    return EventColumns(np.asarray(trace.thread, np.int32), op, target)


def sizes_of(trace: Trace) -> Sizes:
    """The sizes of a whole trace."""
    return Sizes(len(trace.threads), np.asarray(trace.thread_of_target, np.int32))


def bytes_in(*tables: Any) -> int:
    """The size of tuples of arrays in memory, in bytes."""
    return sum(bytes_in(*each) if isinstance(each, tuple) else int(each.nbytes) for each in tables)


class HelperThread:
    """The second thread, if there is one."""

    def __init__(self, wanted: bool) -> None:
        self._pool = ThreadPoolExecutor(1) if wanted else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def do(self, work: Callable[..., None], *arguments: Any) -> Future[None]:
        """Do ``work`` in the second thread, or at once if there is none."""
        if self._pool is not None:
            return self._pool.submit(work, *arguments)
        made: Future[None] = Future()
        work(*arguments)
        made.set_result(None)
        return made
