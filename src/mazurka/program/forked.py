"""One call in a forked child: its result comes back pickled, its side effects die with it."""

from __future__ import annotations

import os
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any, Final, NoReturn

#: Whether this platform can fork.
AVAILABLE: Final = hasattr(os, "fork")
_real_fork: Final = getattr(os, "fork", int)


#: The child that is running now, so that a signal can be passed on to it.
child: int | None = None

#: Whether this process is such a child.
inside = False


#: Whether the next call is not to be made: an interruption came when there was no child to pass it on to.
refused = False


class ChildDied(Exception):
    """The child ended without a result; the message says how."""


_register: Final = getattr(os, "register_at_fork", None)
_forking = False


def register_at_fork(**hooks: Any) -> None:
    """In place of ``os.register_at_fork``: the program's hooks at forks must not run at forks of ours.

    No work of the program's hooks is in progress at our forks, and in the child it goes on as it would have here.
    """
    assert _register is not None
    _register(**{name: _unless_ours(hook) if callable(hook) else hook for name, hook in hooks.items()})


def _unless_ours(hook: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: None if _forking else hook()


def fork() -> int:
    """``os.fork`` for ourselves: no work of the program's hooks or of other threads goes on in the child,
    so that no warning about them is needed."""
    global _forking
    _forking = True
    try:
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            return _real_fork()
    finally:
        _forking = False


#: The ends of pipes by which this process and its parents answer, if it is such a child. A process that the program
#: forks must not hold them: a reader of an answer waits until the last process has closed its end.
_answering: list[int] = []


def leave() -> None:
    """The program has forked this process."""
    for descriptor in _answering:
        os.close(descriptor)
    _answering.clear()


def end_child(error: BaseException | None) -> NoReturn:
    """End a process that the program forked, whose thread ended with ``error`` or None, as CPython does."""
    status = 0
    if isinstance(error, SystemExit):
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    elif error is not None:
        traceback.print_exception(error)
        status = 1
    _flush()
    os._exit(status)


def call(function: Callable[[], Any]) -> Any:
    """Run ``function`` in a child and return its result, or raise :class:`ChildDied`."""
    global child, inside, refused
    if refused:
        refused = False
        raise ChildDied("interrupted")
    reading, writing = os.pipe()
    _flush()
    pid = fork()
    if pid == 0:
        child, inside = None, True
        _answering.append(writing)
        status = 1
        try:
            os.close(reading)
            _answer(function, writing)
            status = 0
        finally:
            os._exit(status)
    child = pid
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as stream:
            payload = stream.read()
    finally:
        child = None
    _, status = os.waitpid(pid, 0)
    if not payload:
        code = os.waitstatus_to_exitcode(status)
        how = f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
        raise ChildDied(f"the child that ran the program {how}")
    ok, result = pickle.loads(payload)  # written by our own child
    if not ok:
        raise ChildDied(result)
    return result


def _answer(function: Callable[[], Any], writing: int) -> None:
    try:
        payload = pickle.dumps((True, function()), protocol=5)
    except ChildDied as error:  # a grandchild did
        payload = pickle.dumps((False, str(error)))
    except BaseException:  # the parent must get every exception
        payload = pickle.dumps((False, traceback.format_exc()))
    with os.fdopen(writing, "wb") as stream:
        stream.write(payload)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, ValueError, OSError):
            continue
