"""Writes down what a program does while its threads are real ones and nobody decides who moves.

The hooks of instrumented code (hooks.py) and the primitives (locks.py, threads.py) tell a :class:`Recorder` of each
operation, as they tell the kernel where a run is under control. All threads add to one list: on CPython with a global
interpreter lock, adding to it is one indivisible step. That the order of the list is that in which things happened
needs more: no other thread may go on between a hook and the operation it announces. Therefore threads are switched
where hooks begin, every few milliseconds, and the interpreter is told not to do so elsewhere until much later; what
blocks, or leaves the interpreter otherwise, lets others go on as always.

Departure: GPredict (patent, "Implementation") has a trace for each thread and no order between them, since on a
Java virtual machine an order costs a lock per access. Here it costs nothing.

Values are what :func:`mazurka.program.python.objects.value_key` says, of a read before it, of a write before the
thread's next event. What was recorded goes to disk in segments; a recorder that is killed loses the one it was at.

Cost: two to four microseconds an event; memory for one segment, and the tables of names.
"""

from __future__ import annotations

import _thread
import itertools
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mazurka.program.protocol import Access, Target
from mazurka.program.python.recording.raw import RawWriter
from mazurka.trace.event import WRITES, Op

#: Events per segment.
SEGMENT: Final = 1 << 16

#: Seconds a thread goes on before a hook lets others; looked at every so many events.
_TURN: Final = 0.005
_STRIDE: Final = 64

#: Seconds after which the interpreter switches threads wherever they are: those that meet no hook.
_UNHOOKED_TURN: Final = 0.1


class Performer:
    """A thread, as the hooks and we know it."""

    __slots__ = ("births", "index", "name", "silent", "unsettled")

    loops: Final[dict[Any, Any]] = {}  # for the hooks: none is held

    def __init__(self, index: int, name: str) -> None:
        self.index = index
        self.name = name
        self.births = 0
        self.silent = 0  # for the hooks: what no event tells
        self.unsettled: tuple[list[Any], Callable[[], Any]] | None = None  # the event whose value is known after it


class Recorder:
    """What hooks take for the run in progress."""

    # What hooks ask of a run under control, and what there is of it here.
    is_recording = True
    solo = True  # until the first thread is started: what happens before is the same in every order
    aborting = True  # no loop is held, and no operation told in parts
    detail = False
    values = False
    keyed = True  # values, if they are told, are keys
    careful = True
    log: Sequence[Any] = ()

    def __init__(self, directory: Path, known: Mapping[str, object]) -> None:
        self.touched: dict[Target, Any] = {}
        self.untracked: dict[str, int] = {}
        self.names: dict[Target, str] = {}
        self.events = 0
        self.trouble: OSError | None = None  # why nothing was written from some event on
        self.directory = directory
        self._of_thread = _thread._local()
        self._count = itertools.count(1)
        self._threads: list[str] = []
        self._labels: list[tuple[int, str]] = []  # objects by number, since the last segment
        self._kinds: dict[str, int] = {}  # how many there are of each class
        self._buffer: list[list[Any]] = []
        self._guard = _thread.RLock()
        self._writing = _thread.allocate_lock()
        self._turn_ends = 0.0
        self._raw = RawWriter(directory, known)
        self._interval = sys.getswitchinterval()

    # -- a recording --------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """The running thread is the first."""
        self.adopt("0")
        sys.setswitchinterval(_UNHOOKED_TURN)

    def end(self) -> None:
        """Write what is left."""
        sys.setswitchinterval(self._interval)
        self._flush(0)

    @property
    def threads(self) -> int:
        return len(self._threads)

    # -- threads ------------------------------------------------------------------------------------------------------

    @property
    def current(self) -> Performer:
        performer: Performer | None = getattr(self._of_thread, "performer", None)
        return performer if performer is not None else self.adopt(f"x{len(self._threads)}")

    def adopt(self, name: str) -> Performer:
        """The running thread is this one; one that nobody has seen begin gets a name of its own."""
        with self._guard:
            performer = self._of_thread.performer = Performer(len(self._threads), name)
            self._threads.append(name)
        return performer

    def birth(self) -> str:
        """The name of the thread that the running one starts."""
        self.solo = False
        current = self.current
        current.births += 1
        return f"{current.name}.{current.births}"

    # -- events -------------------------------------------------------------------------------------------------------

    def visit(
        self,
        op: Op,
        target: Target,
        site: Any,
        value: Any = None,
        more: tuple[Access, ...] = (),
        point: bool | None = None,
    ) -> None:
        """The running thread is about to do this."""
        if self.solo or self.trouble is not None:
            return
        try:
            performer = self._of_thread.performer
        except AttributeError:
            performer = self.current
        if performer.unsettled is not None:
            settle(performer)
        if not next(self._count) % _STRIDE:
            self._give_way()
        index = performer.index
        if callable(value):
            if WRITES[op]:
                event = [index, op._value_, target, None, site]
                performer.unsettled = (event, value)
            else:
                event = [index, op._value_, target, value(), site]
        else:
            event = [index, op._value_, target, value, site]
        if more:
            self._buffer.extend([event, *([index, each.op._value_, each.target, each.value, site] for each in more)])
        else:
            self._buffer.append(event)

    def settle(self) -> None:
        """For the hooks."""
        settle(self.current)

    def passed_loop(self) -> None:
        """For the hooks."""

    def note(self, number: int, thing: Any) -> None:
        """An object gets a number: what it will be called."""
        kind = type(thing).__name__
        count = self._kinds[kind] = self._kinds.get(kind, 0) + 1
        self._labels.append((number, f"{kind}#{count}"))

    def _give_way(self) -> None:
        now = time.monotonic()
        if len(self._buffer) >= SEGMENT:
            self._flush(SEGMENT // 2)
        if now >= self._turn_ends:
            self._turn_ends = now + _TURN
            if len(self._threads) > 2:
                time.sleep(0.0)

    # -- to disk ------------------------------------------------------------------------------------------------------

    def _flush(self, fewest: int) -> None:
        """Write what there is, if it is that much; the last events of threads may still be without their values."""
        if not self._writing.acquire(blocking=fewest == 0):
            return
        try:
            events = self._buffer[:]
            if len(events) > fewest:
                self._raw.write(events, self._threads, self._labels)
                self.events += len(events)
                del self._buffer[: len(events)]
        except OSError as error:  # the program goes on; whoever asked for a recording is told at its end
            self.trouble = error
            self._buffer.clear()
        finally:
            self._writing.release()


def settle(performer: Performer) -> None:
    """What the thread's last write has written can be seen now."""
    if performer.unsettled is not None:
        event, look = performer.unsettled
        performer.unsettled = None
        event[3] = look()
