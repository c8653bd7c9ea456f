"""Records the operations of a program with real threads, without a scheduler.

The hooks of instrumented code (hooks.py, quick.py) and the primitives (locks.py, threads.py) report each operation
to a :class:`Recorder`, as they do to the runtime where a run is under control. All threads add to one list: on CPython
with a global interpreter lock, adding to it is one indivisible step. For the order of the list to be that of the
operations, no other thread may go on between a hook and the operation that it announces. Therefore threads are switched
where hooks begin, every few milliseconds, and the interpreter is set to switch elsewhere only much later; operations
that block, or leave the interpreter otherwise, let other threads go on as always.

Departure: GPredict (patent, "Implementation") has a trace for each thread and no order between them, since on a
Java virtual machine an order costs a lock per access. Here it costs nothing (benchmarks/thread_logs.py).

Values, if they are wanted, are keys (:func:`~mazurka.program.python.semantics.objects.value_key`): that of a read is
taken before it, that of a write before the thread's next event. A recording is written to disk in segments; a recorder
that is killed loses the one that it was writing. If another process follows the recording, segments are written every
quarter of a second.

Cost: a quarter of a microsecond for most events, three with values; memory for one segment, and the tables of names.
"""

from __future__ import annotations

import _thread
import builtins
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from mazurka.marked_methods import InvocationObserver
from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.recording.arithmetic import operators
from mazurka.program.python.recording.library_calls import recording_hooks
from mazurka.program.python.recording.quick import teller
from mazurka.program.python.recording.quick_uses import hooks_for
from mazurka.program.python.recording.raw import ADOPTED, LITERAL, MORE, WORKER, RawWriter
from mazurka.program.python.semantics import hooks
from mazurka.program.python.semantics.class_shapes import shape_of
from mazurka.program.python.semantics.classification import sees_stores
from mazurka.program.python.semantics.shapes import shapes
from mazurka.trace.event import Op
from mazurka.trace.targets import HIDDEN, THREAD, Target

#: Items of events per segment (raw.py).
SEGMENT: Final = 320_000

#: Seconds that a thread goes on before a hook lets others go on; tested every so many events.
_TURN: Final = 0.005
_STRIDE: Final = 64

#: Seconds after which even a small segment is written, if another process waits for it.
_SOON: Final = 0.25

#: Seconds after which the interpreter switches threads that meet no hook, wherever they are.
_UNHOOKED_TURN: Final = 0.1

#: The name of a program's first thread.
FIRST: Final = "0"

_get_ident: Final = _thread.get_ident

#: The name of a class, without running code of a metaclass.
_name_of: Final[Callable[[type], str]] = type.__dict__["__name__"].__get__


class Performer:
    """A thread, as the recorder knows it."""

    __slots__ = ("births", "name", "unsettled")

    def __init__(self, name: str) -> None:
        self.name = name
        self.births = 0
        self.unsettled: _Unsettled | None = None


class _Anybody:
    """Any thread, as hooks see it: in a recording they need not distinguish threads."""

    __slots__ = ("silent",)

    index: Final = 0
    loops: Final[dict[Any, Any]] = {}  # none is held
    made: Final[dict[Any, Any]] = {}  # no object is private

    def __init__(self) -> None:
        self.silent = 0  # effects without an event


class _Unsettled(NamedTuple):
    """A write whose value is read after it: the row of the value, if no event has been recorded since."""

    flushed: int  # how often the buffer was flushed before
    length: int  # the length of the buffer
    place: int
    target: Target
    look: Callable[[], Any]


class _Nameless(dict[Target, str]):
    """Stands for the names of targets, which are not kept."""

    def __setitem__(self, target: Target, name: str) -> None:
        pass

    def __missing__(self, target: Target) -> str:
        return ""


class Recorder:
    """Stands for the run in progress in hooks; ``detail``: with values."""

    # Attributes of a controlled run that hooks read, as far as a recording has them.
    is_recording = True
    solo = True  # until the first thread is started: the events before that are the same in every order
    aborting = True  # so that no loop is held, and no operation is reported in parts
    values = False
    keyed = True  # values, if they are recorded, are keys
    careful = True
    log: Sequence[Any] = ()

    def shows(self, _site: int) -> bool:
        """Like the runtime's method."""
        return True

    def __init__(
        self, directory: Path, known: Mapping[str, object], detail: bool = False, followed: bool = False
    ) -> None:
        self.detail = detail
        self._segment_ends = 0.0 if followed else sys.float_info.max
        self.touched: dict[Target, Any] = {}
        self.private: dict[int, Any] = {}  # all events are recorded
        self.leaves_out_private = self.leaves_out_own = False
        self.untracked: dict[str, int] = {}
        self.names: dict[Target, str] = _Nameless()
        self.observer: InvocationObserver | None = None  # of calls
        self.trouble: OSError | None = None  # the error that ended the writing of events
        self.buffer: list[Any] = []  # in the form of raw.py
        self.current = _Anybody()
        self.visit: Callable[..., None] = self._visit_alone
        self.process = os.getpid()
        self.bearers: dict[int, str] = {}  # the system's identifier of a thread -> our name
        self._of_thread = _thread._local()
        self._count = itertools.count(1)
        self._births = itertools.count()
        self._numbers = itertools.count(1)
        self._labels: list[Any] = []  # new numbers of objects, with the names of their classes
        self._writing = _thread.allocate_lock()
        self._turn_ends = 0.0
        self._held: dict[Target, Any] = {}  # locks that are held when the first thread is started
        self._raw = RawWriter(directory, known)
        self._flushed = 0
        self.variable: set[Any] = set()  # names of attributes that may be stored from now on
        self.of_classes: set[Any] = set()  # the same of classes, with their numbers
        self.classes: set[int] = set()
        self.left_out: set[Any] = set()  # attributes of classes whose reads have not been recorded
        self._interval = sys.getswitchinterval()

    # -- a recording --------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin the recording; the running thread is the first one."""
        self.adopt(FIRST)
        sys.setswitchinterval(_UNHOOKED_TURN)

    def end(self) -> None:
        """Write the remaining events."""
        sys.setswitchinterval(self._interval)
        vars(builtins).update(hooks.HOOKS)
        self._flush(0)

    # -- threads ------------------------------------------------------------------------------------------------------

    @property
    def _performer(self) -> Performer:
        performer: Performer | None = getattr(self._of_thread, "performer", None)
        return performer if performer is not None else self.adopt()

    def adopt(self, name: str | None = None) -> Performer:
        """The running thread has this name; a thread whose begin was not recorded gets a new one."""
        index = next(self._births)
        name = self.bearers[_get_ident()] = name or f"x{index}"
        performer = self._of_thread.performer = Performer(name)
        self.buffer.extend((_get_ident(), name, ADOPTED))
        return performer

    @contextmanager
    def acting(self, name: str) -> Iterator[None]:
        """A context in which the running thread acts for the thread of this name; it joins that thread afterwards."""
        worker = self._performer
        self.adopt(name)
        try:
            yield
        finally:
            self.bearers[_get_ident()] = worker.name
            self._of_thread.performer = worker
            self.buffer.extend((_get_ident(), worker.name, ADOPTED))
            self.visit(Op.JOIN, (THREAD, name), 0)

    def nameless_birth(self) -> str:
        """The name of a started thread whose number would mean nothing, since it executes tasks of other threads."""
        self.birth()
        self._performer.births -= 1
        return f"{WORKER}{next(self._births)}"

    def birth(self) -> str:
        """The name of a thread that the running one starts."""
        if self.solo:
            self.solo = False
            self.visit = self._visit
            vars(builtins).update(operators(self))
            hooks = {} if self.observer is None else recording_hooks(self.observer, vars(builtins))
            vars(builtins).update(hooks)
            if not self.detail:
                self.visit = teller(self)
                self.variable |= sites.stored
                self.of_classes |= sites.stored_from_outside
                vars(builtins).update(hooks_for(self))  # the quick hooks do the same themselves
            for target, site in self._held.items():
                self.visit(Op.ACQUIRE, target, site)
        parent = self._performer
        parent.births += 1
        return f"{parent.name}.{parent.births}"

    # -- events -------------------------------------------------------------------------------------------------------

    def _visit_alone(self, op: Op, target: Target, site: Any, *_more: Any) -> None:
        """Take in a step before there are two threads: only the locks that are held when the second one starts
        matter."""
        if op is Op.ACQUIRE:
            self._held[target] = site
        elif op is Op.RELEASE:
            self._held.pop(target, None)

    def _visit(
        self,
        op: Op,
        target: Target,
        site: Any,
        value: Any = None,
        more: tuple[Access, ...] = (),
        point: bool | None = None,
    ) -> None:
        """Record a step that the running thread is about to make, with values."""
        self.settle()
        if not next(self._count) % _STRIDE:
            self.give_way()
        thread = _get_ident()
        seen = value() if op is Op.READ and callable(value) else None
        step: list[Any] = [thread, target, op._value_, site, seen, MORE]
        for each in more:
            step += (thread, each.target, each.op._value_, site, each.value, MORE)
        self.buffer.extend(step)
        if op is Op.WRITE and callable(value):
            length = len(self.buffer)
            self._performer.unsettled = _Unsettled(self._flushed, length, length - len(step) + 4, target, value)

    def add_call(self, op: Op, target: Target, site: int, text: str) -> bool:
        """A marked method is called or has returned, with its arguments or result as a text; returns whether this is
        recorded."""
        if self.visit == self._visit_alone:
            return False
        self.settle()
        self.buffer.extend((_get_ident(), target, op._value_, site, (LITERAL, text), MORE))
        return True

    def about_to_store(self, n: int, name: Any) -> None:
        """Object ``n`` is about to get an attribute, although no code that existed when the first thread was started
        stores one of that name (in a class, if the object is one), so that reads of a class's attribute of that name
        have not been recorded. In any other order these reads stay before the store, like all steps that the threads
        have made so far."""
        expected = (self.variable, self.of_classes) if n in self.classes else (self.variable,)
        if all(name in each for each in expected):
            return
        for each in expected:
            each.add(name)
        if name in self.left_out:
            me = _get_ident()
            for thread in [each for each in sys._current_frames() if each != me]:
                meeting = (HIDDEN, "stored", f"{name} {next(self._births)}")
                self.buffer.extend((thread, meeting, Op.RMW.value, 0, None, MORE))
                self.buffer.extend((me, meeting, Op.RMW.value, 0, None, MORE))

    def settle(self) -> None:
        """Read the value of the thread's last write now, unless other threads have moved since."""
        performer = self._performer
        unsettled = performer.unsettled
        if unsettled is not None:
            performer.unsettled = None
            value = unsettled.look()
            flushed, length, place, target, _ = unsettled
            if (flushed, length) == (self._flushed, len(self.buffer)) and self.buffer[place - 3] is target:
                self.buffer[place] = value

    def passed_loop(self) -> None:
        """Does nothing: loops are not counted in a recording."""

    def number_for(self, thing: Any) -> int:
        """The number of an object; reports name an object by its class, and a class by its own name."""
        fresh = next(self._numbers)
        kind = type(thing)
        shape = shapes.get(id(kind)) or shape_of(kind)
        if shape.label is None:
            shape.label = kind.__name__, sees_stores(kind)
        name, sees = shape.label
        if issubclass(kind, type):
            self.classes.add(fresh)
            name = f"class {_name_of(thing)}"
        self._labels += (-fresh if sees else fresh, name)
        return fresh

    def give_way(self) -> None:
        """Let other threads go on, if this thread has had its time slice; write the buffered events, if there are
        enough."""
        if len(self.buffer) >= SEGMENT:
            self._flush(SEGMENT // 2)
        now = time.monotonic()
        if now >= self._segment_ends:
            self._segment_ends = now + _SOON
            self._flush(1)
        if now >= self._turn_ends:
            self._turn_ends = now + _TURN
            time.sleep(0.0)

    # -- to disk ------------------------------------------------------------------------------------------------------

    def _flush(self, fewest: int) -> None:
        """Write the buffered events, if there are at least ``fewest`` items; the last events of threads may still be
        without their values."""
        if os.getpid() != self.process:  # this process is a child
            self.buffer.clear()
            return
        if not self._writing.acquire(blocking=fewest == 0):
            return
        try:
            if len(self.buffer) > fewest:
                events = self.buffer[:]
                self._flushed += 1
                del self.buffer[: len(events)]  # before the writing: they must have no other reference
                if self.trouble is None:
                    self._raw.write(events, self._labels)
                else:
                    self._labels.clear()
        except OSError as error:  # the program goes on; the error is reported at its end
            self.trouble = error
        finally:
            self._writing.release()
