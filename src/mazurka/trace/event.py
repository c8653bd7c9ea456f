"""The closed vocabulary of operations, and events, which are operations of threads.

Every program front end emits these operations and nothing else. An operation touches one *target* (a
shared location, a lock, a thread ...); its kind determines whether it reads and writes the target, so every analysis
can treat a run as threads of reads and writes:

=============  ======================================  ===========  ===========
operation      meaning                                 reads        writes
=============  ======================================  ===========  ===========
READ           the target's value is used              yes          no
WRITE          the target's value is replaced          no           yes
RMW            both, indivisibly                       yes          yes
ACQUIRE        takes a free lock                       yes          yes
RELEASE        gives it back                           no           yes
REQUEST        an acquire that has not succeeded yet   no           no
WAIT           parks on a condition                    yes          yes
NOTIFY(_ALL)   wakes threads parked there              yes          yes
FORK           starts the thread that is the target    no           yes
BEGIN          first event of a thread                 yes          no
END            last event of a thread                  no           yes
JOIN           returns once the target has ended       yes          no
=============  ======================================  ===========  ===========

Branch, call, return, alloc, free, fence and nop touch nothing shared; they show where control went. Nor do these: a
sleep, which is logged when it ends; a spin, which holds a thread before a pass of a loop that would only repeat the one
before; and a point, an event of a property that a user states.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.ids import Row


class Op(IntEnum):
    """An operation; the codes are part of the trace format and never change."""

    READ = 0
    WRITE = 1
    ACQUIRE = 2
    RELEASE = 3
    REQUEST = 4
    WAIT = 5
    NOTIFY = 6
    NOTIFY_ALL = 7
    FORK = 8
    JOIN = 9
    BEGIN = 10
    END = 11
    BRANCH = 12
    CALL = 13
    RETURN = 14
    ALLOC = 15
    FREE = 16
    FENCE = 17
    RMW = 18
    POINT = 19
    SLEEP = 20
    SPIN = 21
    NOP = 22


_READING: Final = {Op.READ, Op.RMW, Op.ACQUIRE, Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL, Op.BEGIN, Op.JOIN}
_WRITING: Final = {Op.WRITE, Op.RMW, Op.ACQUIRE, Op.RELEASE, Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL, Op.FORK, Op.END}

#: ``READS[op]`` / ``WRITES[op]``: whether the operation observes / replaces its target's value.
READS: Final[tuple[bool, ...]] = tuple(op in _READING for op in Op)
WRITES: Final[tuple[bool, ...]] = tuple(op in _WRITING for op in Op)


@dataclass(frozen=True, slots=True)
class Location:
    """A source location. Line 0: only ``file`` is known."""

    file: str
    line: int
    column: int = 0
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a trace, as people see it. Its number is its place in the trace."""

    number: Row
    thread: str
    op: Op
    target: str
    value: str | None
    location: Location | None
