"""Locks that report to a recorder: the replacements of ``threading.Lock`` and ``RLock`` while a program is recorded.

All other primitives in `threading`, `queue` and `concurrent.futures` are Python code on top of these two, and stay as
they are. But the state that such code guards by its locks is not recorded: that an `Event` was set is a variable of
code that is not instrumented. So there are two kinds of locks:

- locks that the program makes itself, or has a ``Condition`` make for it: their operations are ACQUIRE and RELEASE.
  Other orders of their critical sections may be predicted.
- all others: acquiring and releasing them are indivisible updates (RMW), each of which needs the one before it. So the
  events in their critical sections keep their order.

A thread that waits on a condition has a lock of its own (``Condition._waiters``), of the second kind: the notifying
thread releases it. For conditions of the program more is recorded (conditions.py). A lock that one thread acquired and
another released is of that kind, too (finishing.py): it guards nothing, but hands control over.

Order. An ACQUIRE is recorded after the lock was acquired, a RELEASE before it is released: no event of the next holder
can come in between. An attempt that fails is a READ of the lock, and there is a READ before an ACQUIRE with a time
limit: a thread that reads the lock needs the release that came before. Of a re-entrant lock only the outermost pair is
recorded.
"""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics.objects import number, numbers
from mazurka.trace.event import Op
from mazurka.trace.targets import HIDDEN, LOCK, Kind

real_lock: Final = _thread.allocate_lock
real_rlock: Final = _thread.RLock

_THREADING: Final = threading.__file__
_WAITING: Final = threading.Condition.wait.__code__


def _is_own(frame: Any) -> bool:
    """Whether a lock made in this frame belongs to the program."""
    code = frame.f_code
    if code.co_filename in sites.instrumented:
        return True
    if code.co_filename == _THREADING and code.co_name == "__init__" and frame.f_back is not None:
        return type(frame.f_locals.get("self")) is threading.Condition and _is_own(frame.f_back)
    return False


def place() -> int:
    """The number of the program's present place, which recorders know."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename not in sites.instrumented:
        frame = frame.f_back
    return 0 if frame is None else sites.place_of(frame)


def waits(names: Mapping[int, str]) -> list[str]:
    """The threads that now wait for locks, the places of the waits, and the holders; ``names`` are those of threads by
    the system's identifiers."""
    lines = []
    for thread, (lock, where) in sorted(_waiting.items()):
        line = f"thread {names.get(thread, '?')} waits for a lock at {_spelt(where)}"
        if lock.holder is not None:
            holder, since = lock.holder
            who = "it took itself" if holder == thread else f"thread {names.get(holder, '?')} took"
            line += f", which {who} at {_spelt(since)}"
        lines.append(line)
    return lines


def _spelt(where: int) -> str:
    known = sites.site(where)
    return "?" if known is None else f"{known.file}:{known.line}"


#: Thread -> the lock of the program that it waits for, and the place of the wait.
_waiting: Final[dict[int, tuple[RecordedLock, int]]] = {}


class RecordedLock:
    """A lock; ``own``: it belongs to the program; ``condition``: the number of the condition on which its thread waits
    with this lock, if it is for that."""

    __slots__ = ("__weakref__", "_condition", "_lock", "holder", "is_own")

    def __init__(self, own: bool, condition: int | None = None) -> None:
        self._lock = real_lock()
        self._condition = condition
        self.holder: tuple[int, int] | None = None  # the thread that has it, and the place where it took it
        self.is_own = own

    def _get(self, blocking: bool, timeout: float) -> bool:
        """Acquire the native lock; a thread that has to wait is listed meanwhile."""
        if not self.is_own or not blocking or timeout >= 0:
            return self._lock.acquire(blocking, timeout)
        if self._lock.acquire(False):
            return True
        _waiting[_thread.get_ident()] = self, place()
        try:
            return self._lock.acquire()
        finally:
            del _waiting[_thread.get_ident()]

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As the real one; recorded once the lock is held."""
        if blocking is True and timeout == -1 and self._lock.acquire(False):  # so nearly always
            self._record(Op.ACQUIRE)
            return True
        got = self._get(blocking, timeout)
        self._record_attempt(got, blocking and timeout < 0)
        return got

    def release(self) -> None:
        """As the real one; recorded while the lock is still held."""
        if self._lock.locked():
            self._record(Op.RELEASE)
        self._lock.release()

    def _record(self, op: Op) -> None:
        run = activation.active
        if run is None:
            return
        if self._condition is not None:
            run.visit(Op.RMW, (Kind.WAITER.tag, self._condition, number(self)), place())
            return
        target = (LOCK if self.is_own else HIDDEN, numbers.get(id(self)) or number(self))
        where = place()
        if op is Op.ACQUIRE:
            self.holder = _thread.get_ident(), where
        if op is Op.READ:
            run.visit(op, target, where, None, (Access(Op.REQUEST, target),) if self.is_own else ())
        else:
            run.visit(op if self.is_own else Op.RMW, target, where)

    def _record_attempt(self, got: bool, patient: bool) -> None:
        if not got or (self.is_own and not patient):
            self._record(Op.READ)
        if got:
            self._record(Op.ACQUIRE)

    def locked(self) -> bool:
        """As the real one; recorded as a read."""
        held = self._lock.locked()
        self._record(Op.READ)
        return held

    def _is_owned(self) -> bool:
        """For ``Condition``, which would otherwise try to take it."""
        return self._lock.locked()

    def _at_fork_reinit(self) -> None:
        self._lock = real_lock()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_exception: object) -> None:
        self.release()

    def __repr__(self) -> str:
        return f"<{'locked' if self._lock.locked() else 'unlocked'} {type(self).__name__} at {id(self):#x}>"


class RecordedRLock(RecordedLock):
    """A re-entrant lock."""

    __slots__ = ("_depth", "_owner")

    def __init__(self, own: bool) -> None:
        super().__init__(own)
        self._owner: int | None = None
        self._depth = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As the real one; only the outermost level is recorded."""
        me = _thread.get_ident()
        if self._owner == me:
            self._depth += 1
            return True
        if blocking is True and timeout == -1 and self._lock.acquire(False):
            self._owner, self._depth = me, 1
            self._record(Op.ACQUIRE)
            return True
        got = self._get(blocking, timeout)
        if got:
            self._owner, self._depth = me, 1
        self._record_attempt(got, blocking and timeout < 0)
        return got

    def release(self) -> None:
        """As the real one; only the outermost level is recorded."""
        if self._owner != _thread.get_ident():
            raise RuntimeError("cannot release un-acquired lock")
        self._depth -= 1
        if not self._depth:
            self._record(Op.RELEASE)
            self._owner = None
            self._lock.release()

    def _is_owned(self) -> bool:
        return self._owner == _thread.get_ident()

    def _recursion_count(self) -> int:
        return self._depth if self._is_owned() else 0

    def _release_save(self) -> tuple[int, int | None]:
        """For ``Condition.wait``: all levels at once."""
        saved = self._depth, self._owner
        self._record(Op.RELEASE)
        self._depth, self._owner = 0, None
        self._lock.release()
        return saved

    def _acquire_restore(self, saved: tuple[int, int | None]) -> None:
        self._lock.acquire()
        self._depth, self._owner = saved
        self._record(Op.ACQUIRE)

    def _at_fork_reinit(self) -> None:
        super()._at_fork_reinit()
        self._owner, self._depth = None, 0


# -- their making -----------------------------------------------------------------------------------------------------


class Maker(type):
    """A type that can be called for locks, used in ``isinstance``, and written in unions, like the function that it
    replaces; it does not become a method of a class that has it. ``kinds`` are the types of the locks that it makes,
    ``make`` makes one for a call in a frame."""

    kinds: tuple[type, ...]
    make: Callable[[Any], Any]

    def __call__(cls) -> Any:
        return cls.make(sys._getframe(1))

    def __instancecheck__(cls, thing: object) -> bool:
        return type(thing) in cls.kinds


class Lock(metaclass=Maker):
    """Takes the place of ``threading.Lock``."""

    kinds = (RecordedLock, type(real_lock()))

    @staticmethod
    def make(frame: Any) -> RecordedLock:
        """The lock for a call in that frame: its own for code that is tracked, else of the second kind."""
        if frame.f_code is _WAITING:
            condition = frame.f_locals["self"]
            if isinstance(condition._lock, RecordedLock) and condition._lock.is_own:
                return RecordedLock(False, number(condition))
        return RecordedLock(_is_own(frame))


class RLock(metaclass=Maker):
    """Takes the place of ``threading.RLock``."""

    kinds = (RecordedRLock, real_rlock)

    @staticmethod
    def make(frame: Any) -> RecordedRLock:
        """The lock for a call in that frame: its own for code that is tracked, else of the second kind."""
        return RecordedRLock(_is_own(frame))


class LowLock(Lock):
    """Takes the place of ``_thread.allocate_lock``: the import system, for instance, makes such locks, too."""

    @staticmethod
    def make(frame: Any) -> Any:
        """As ``_thread.allocate_lock``: code that is not tracked gets a real lock."""
        return RecordedLock(True) if _is_own(frame) else real_lock()


class LowRLock(RLock):
    """Takes the place of ``_thread.RLock``."""

    @staticmethod
    def make(frame: Any) -> Any:
        """As ``_thread.RLock``: code that is not tracked gets a real lock."""
        return RecordedRLock(True) if _is_own(frame) else real_rlock()
