"""Conditions of a program that is recorded: their waits and notifications.

``threading.Condition`` stays as it is; its methods report to the recorder first. For a condition whose lock belongs to
the program (locks.py), events of two kinds are recorded, of which finishing.py keeps one:

- WAIT and NOTIFY of the condition. A wait releases the lock right after it and acquires it again once woken
  (:mod:`mazurka.trace.waits`); a notification comes before its wake-ups. So another order may lose a notification.
- the operations on the lock that each waiting thread has of its own, and that its notification releases: indivisible
  updates (RMW) that keep their order.

The first kind is enough, except in two cases. If a thread waits with a time limit, or the lock is handed from thread to
thread, the events do not show the thread that a notification wakes. If code that is not instrumented waits or notifies,
they do not show the reason. In these cases the second kind is kept, with an RMW of the condition.

Notifications of several threads are recorded one by one, up to :data:`_MANY`; more count as notifications of all.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

from mazurka.marked_methods import InvocationObserver
from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.recording import library_calls
from mazurka.program.python.recording.library_kinds import CONDITION_CLASS, UNSPECIFIED
from mazurka.program.python.recording.locks import RecordedLock, place
from mazurka.program.python.semantics.objects import number
from mazurka.trace.event import Op
from mazurka.trace.targets import CONDITION

#: More threads than this do not wait.
_MANY: Final = 64

#: Code between the program and a condition's methods.
_BETWEEN: Final = frozenset({threading.__file__, library_calls.__file__})

_wait: Final = threading.Condition.wait
_notify: Final = threading.Condition.notify


def patches() -> list[tuple[Any, str, Callable[..., Any]]]:
    """The replacements: owner, name, function."""
    condition = threading.Condition
    return [(condition, "wait", waiting), (condition, "notify", notifying), (condition, "notify_all", notifying_all)]


def waiting(self: Any, timeout: float | None = None) -> bool:
    """Takes the place of ``Condition.wait``."""
    _record(self, Op.WAIT if timeout is None else Op.RMW, sys._getframe(1))
    return _wait(self, timeout)


def notifying(self: Any, n: int = 1) -> None:
    """Takes the place of ``Condition.notify``."""
    for _ in range(n if n <= _MANY else 1):
        _record(self, Op.NOTIFY if n <= _MANY else Op.NOTIFY_ALL, sys._getframe(1))
    _notify(self, n)


def notifying_all(self: Any) -> None:
    """Takes the place of ``Condition.notify_all``."""
    _record(self, Op.NOTIFY_ALL, sys._getframe(1))
    _notify(self, len(self._waiters))


def _record(condition: Any, op: Op, frame: FrameType | None) -> None:
    """Record an operation on a condition, by the code of a frame."""
    lock, run = condition._lock, activation.active
    if run is None or not (isinstance(lock, RecordedLock) and lock.is_own and condition._is_owned()):
        return
    while frame is not None and frame.f_code.co_filename in _BETWEEN:  # Condition.wait_for, or a recorded call
        frame = frame.f_back
    known = frame is not None and frame.f_code.co_filename in sites.instrumented
    run.visit(op if known else Op.RMW, (CONDITION, number(condition), number(lock)), place())
    observer: InvocationObserver | None = getattr(run, "observer", None)
    if not known and observer is not None:  # a call that is not recorded by its caller
        observer.end(observer.call(CONDITION_CLASS, condition, UNSPECIFIED, ()), None)
