"""Records the operations of a program with real threads, without a scheduler.

The hooks of instrumented code (hooks.py, quick.py) and the primitives (locks.py, threads.py) report each operation
to a :class:`Recorder`, as they do to the runtime where a run is under control. All threads add to one list: on CPython
with a global interpreter lock, adding to it is one indivisible step. That the order of the list is that in which things
happened needs more: no other thread may go on between a hook and the operation it announces. Therefore threads are
switched where hooks begin, every few milliseconds, and the interpreter is set not to do so elsewhere until much later;
what blocks, or leaves the interpreter otherwise, lets others go on as always.

Departure: GPredict (patent, "Implementation") has a trace for each thread and no order between them, since on a
Java virtual machine an order costs a lock per access. Here it costs nothing.

Values, if they are wanted, are keys (:func:`~mazurka.program.python.semantics.objects.value_key`), of a read before it,
of a write before the thread's next event. A recording goes to disk in segments; a recorder that is killed loses the
one it was at. If another process follows the recording, segments are written every quarter of a second.

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
from mazurka.program.python.recording.raw import ADOPTED, LITERAL, MORE, RawWriter
from mazurka.program.python.semantics import hooks
from mazurka.program.python.semantics.classification import sees_stores
from mazurka.trace.event import Op
from mazurka.trace.targets import HIDDEN, THREAD, Target

#: Items of events per segment (raw.py).
SEGMENT: Final = 320_000

#: Seconds a thread goes on before a hook lets others; looked at every so many events.
_TURN: Final = 0.005
_STRIDE: Final = 64

#: Seconds after which a segment is written though it is small, if another process waits for it.
_SOON: Final = 0.25

#: Seconds after which the interpreter switches threads wherever they are: those that meet no hook.
_UNHOOKED_TURN: Final = 0.1

#: The name of a program's first thread.
FIRST: Final = "0"

_get_ident: Final = _thread.get_ident

#: A class's name, had without running code of a metaclass.
_name_of: Final[Callable[[type], str]] = type.__dict__["__name__"].__get__


class Performer:
    """A thread, as we know it."""

    __slots__ = ("births", "name", "unsettled")

    def __init__(self, name: str) -> None:
        self.name = name
        self.births = 0
        self.unsettled: _Unsettled | None = None


class _Anybody:
    """A thread, as hooks know it: they need to know no more here."""

    __slots__ = ("silent",)

    index: Final = 0
    loops: Final[dict[Any, Any]] = {}  # none is held

    def __init__(self) -> None:
        self.silent = 0  # effects without an event


class _Unsettled(NamedTuple):
    """A write whose value is read after it: the row of the value, if no event has been recorded since."""

    flushed: int  # how often the buffer was, before
    length: int  # of the buffer
    place: int
    target: Target
    look: Callable[[], Any]


class _Nameless(dict[Target, str]):
    """Stands for targets of hooks of which nothing is kept."""

    def __setitem__(self, target: Target, name: str) -> None:
        pass

    def __missing__(self, target: Target) -> str:
        return ""


class Recorder:
    """Stands for the run in progress in hooks; ``detail``: with values."""

    # Attributes of a run under control that hooks ask for, as far as a recording has them.
    is_recording = True
    solo = True  # until the first thread is started: what happens before is the same in every order
    aborting = True  # no loop is held, and no operation reported in parts
    values = False
    keyed = True  # values, if they are recorded, are keys
    careful = True
    log: Sequence[Any] = ()

    def __init__(
        self, directory: Path, known: Mapping[str, object], detail: bool = False, followed: bool = False
    ) -> None:
        self.detail = detail
        self._segment_ends = 0.0 if followed else sys.float_info.max
        self.touched: dict[Target, Any] = {}
        self.untracked: dict[str, int] = {}
        self.names: dict[Target, str] = _Nameless()
        self.observer: InvocationObserver | None = None  # of calls
        self.trouble: OSError | None = None  # why nothing was written from some event on
        self.buffer: list[Any] = []  # as raw.py has it
        self.current = _Anybody()
        self.visit: Callable[..., None] = self._visit_alone
        self.process = os.getpid()
        self.bearers: dict[int, str] = {}  # the system's identifier of a thread -> our name
        self._of_thread = _thread._local()
        self._count = itertools.count(1)
        self._births = itertools.count()
        self._numbers = itertools.count(1)
        self._labels: list[Any] = []  # objects that got numbers since the last segment: these and the names of classes
        self._writing = _thread.allocate_lock()
        self._turn_ends = 0.0
        self._held: dict[Target, Any] = {}  # locks that are held when the first thread is started
        self._raw = RawWriter(directory, known)
        self._flushed = 0
        self.variable: set[Any] = set()  # names of attributes that may be stored from now on
        self.of_classes: set[Any] = set()  # the same in classes, whose numbers these are
        self.classes: set[int] = set()
        self.left_out: set[Any] = set()  # of which reads have not been recorded
        self._interval = sys.getswitchinterval()

    # -- a recording --------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """The running thread is the first."""
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
        """The running thread is this one; one whose begin was not recorded gets a name of its own."""
        index = next(self._births)
        name = self.bearers[_get_ident()] = name or f"x{index}"
        performer = self._of_thread.performer = Performer(name)
        self.buffer.extend((_get_ident(), name, ADOPTED))
        return performer

    @contextmanager
    def acting(self, name: str) -> Iterator[None]:
        """The running thread does what one of this name does, which it joins then."""
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
        """The same of a thread whose number would mean nothing, since it executes tasks of others."""
        self.birth()
        self._performer.births -= 1
        return f"worker{next(self._births)}"

    def birth(self) -> str:
        """The name of the thread that the running one starts."""
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
                vars(builtins).update(hooks_for(self))  # the quick ones do the same themselves
            for target, site in self._held.items():
                self.visit(Op.ACQUIRE, target, site)
        parent = self._performer
        parent.births += 1
        return f"{parent.name}.{parent.births}"

    # -- events -------------------------------------------------------------------------------------------------------

    def _visit_alone(self, op: Op, target: Target, site: Any, *_more: Any) -> None:
        """Until there are two threads, it matters only which locks are held then."""
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
        """The running thread is about to do this; with values."""
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
        """A marked method is called or has returned, with its arguments or result as a text; whether it is recorded."""
        if self.visit == self._visit_alone:
            return False
        self.settle()
        self.buffer.extend((_get_ident(), target, op._value_, site, (LITERAL, text), MORE))
        return True

    def about_to_store(self, n: int, name: Any) -> None:
        """Object ``n`` is about to get an attribute, although no code that was there when the first thread was started
        stores one of that name (in a class, if it is one), so that reads of a class's attribute of that name have not
        been recorded. In any other order they stay before the store: all that the threads have done so far does."""
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
        """The value of the thread's last write can be read now, unless others have moved since."""
        performer = self._performer
        unsettled = performer.unsettled
        if unsettled is not None:
            performer.unsettled = None
            value = unsettled.look()
            flushed, length, place, target, _ = unsettled
            if (flushed, length) == (self._flushed, len(self.buffer)) and self.buffer[place - 3] is target:
                self.buffer[place] = value

    def passed_loop(self) -> None:
        """For the hooks."""

    def number_for(self, thing: Any) -> int:
        """An object's number; reports name it by its class, or a class by its own name."""
        fresh = next(self._numbers)
        kind = type(thing)
        name = kind.__name__
        if issubclass(kind, type):
            self.classes.add(fresh)
            name = f"class {_name_of(thing)}"
        self._labels += (-fresh if sees_stores(kind) else fresh, name)
        return fresh

    def give_way(self) -> None:
        """Let other threads go on, if it is time; write the buffered events, if there are enough."""
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
        """Write what there is, if it is that much; the last events of threads may still be without their values."""
        if os.getpid() != self.process:  # a child
            self.buffer.clear()
            return
        if not self._writing.acquire(blocking=fewest == 0):
            return
        try:
            if len(self.buffer) > fewest:
                events = self.buffer[:]
                self._flushed += 1
                del self.buffer[: len(events)]  # before: they must have no other reference
                if self.trouble is None:
                    self._raw.write(events, self._labels)
                else:
                    self._labels.clear()
        except OSError as error:  # the program goes on; the error is reported at its end
            self.trouble = error
        finally:
            self._writing.release()
