"""``concurrent.futures``: futures, and the list of tasks of an executor."""

from __future__ import annotations

from typing import Any

from mazurka.commute.shared_type import BLOCKED, SharedType, Step
from mazurka.trace.literals import Raised

_PENDING, _RUNNING, _FINISHED = "pending", "running", "finished"
_CANCELLED, _NOTIFIED = "cancelled", "notified"  # a worker has seen that it is cancelled

#: The state of a future, and its result.
_State = tuple[str, Any]

_CANCELLED_ERROR = Raised("CancelledError")


class FutureType(SharedType):
    """``concurrent.futures.Future``; ``run`` is ``set_running_or_notify_cancel``, ``result`` has no timeout."""

    name = "concurrent.futures.Future"
    initials = ((_PENDING, None),)
    scope = {"v": (None, 0, "x")}
    functions = {"status": lambda s: s[0], "outcome": lambda s: s[1]}

    def run(self, s: _State) -> Step:
        match s[0]:
            case "pending":
                return (_RUNNING, None), True
            case "cancelled":
                return (_NOTIFIED, None), False
        return s, Raised("RuntimeError")

    def set_result(self, s: _State, v: Any) -> Step:
        return ((_FINISHED, v), None) if s[0] in (_PENDING, _RUNNING) else (s, Raised("InvalidStateError"))

    def result(self, s: _State) -> Step:
        match s[0]:
            case "finished":
                return s, s[1]
            case "cancelled" | "notified":
                return s, _CANCELLED_ERROR
        return BLOCKED

    def cancel(self, s: _State) -> Step:
        if s[0] in (_RUNNING, _FINISHED):
            return s, False
        return ((_CANCELLED, None) if s[0] == _PENDING else s), True

    def cancelled(self, s: _State) -> Step:
        return s, s[0] in (_CANCELLED, _NOTIFIED)

    def running(self, s: _State) -> Step:
        return s, s[0] == _RUNNING

    def done(self, s: _State) -> Step:
        return s, s[0] in (_CANCELLED, _NOTIFIED, _FINISHED)

    fine = """
        run || run                                 : status(s) != 'pending' and status(s) != 'cancelled'
        run || set_result, cancel, running         : status(s) != 'pending'
        set_result, result || cancel               : status(s) != 'pending'
        cancel || cancelled, done                  : status(s) != 'pending'
        run || result, cancelled, done             : True
        set_result || cancelled                    : True
        result || result, cancelled, running, done : True
        cancel || cancel, running                  : True
        cancelled || cancelled, running, done      : True
        running || running, done                   : True
        done || done                               : True
        set_result || set_result, result, done     : status(s) != 'pending' and status(s) != 'running'
        set_result || running                      : status(s) != 'running'
    """

    coarse = """
        run || run                                 : raised(r1) and raised(r2)
        set_result || set_result                   : raised(r1) and raised(r2)
        run || set_result                          : raised(r2)
        run || result, cancelled, done             : True
        set_result || cancelled                    : True
        result || result, cancelled, running, done : True
        cancel || cancel, running                  : True
        cancelled || cancelled, running, done      : True
        running || running, done                   : True
        done || done                               : True
        run || cancel, running                     : raised(r1)
        set_result || result, running, done        : raised(r1)
        set_result || cancel                       : raised(r1) and not r2
        result || cancel                           : not raised(r1)
        cancel || cancelled, done                  : not r1
    """


class ExecutorType(SharedType):
    """An executor as its clients see it: its tasks, in any order, and whether it accepts more."""

    name = "concurrent.futures.Executor"
    initials = (((), True),)
    scope = {"v": ("f", "g")}
    functions = {"is_open": lambda s: s[1]}

    def bounded(self, s: tuple[tuple[Any, ...], bool]) -> bool:
        return len(s[0]) <= 2

    def submit(self, s: tuple[tuple[Any, ...], bool], v: Any) -> Step:
        return ((tuple(sorted((*s[0], v))), True), None) if s[1] else (s, Raised("RuntimeError"))

    def shutdown(self, s: tuple[tuple[Any, ...], bool]) -> Step:
        return (s[0], False), None

    fine = """
        submit || submit     : True
        shutdown || shutdown : True
        submit || shutdown   : not is_open(s)
    """

    coarse = """
        submit || submit     : True
        shutdown || shutdown : True
    """
