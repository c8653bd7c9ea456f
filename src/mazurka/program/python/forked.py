"""One call in a forked child: its result comes back pickled, its side effects die with it."""

from __future__ import annotations

import os
import pickle
import sys
import traceback
from collections.abc import Callable
from typing import Any, Final

#: Whether this platform can fork.
AVAILABLE: Final = hasattr(os, "fork")


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
    """In place of ``os.register_at_fork``: what the program does when it forks is not to be done when we do.

    Nothing of it is in progress then, and in the child it goes on as it would have here.
    """
    assert _register is not None
    _register(**{name: _unless_ours(hook) if callable(hook) else hook for name, hook in hooks.items()})


def _unless_ours(hook: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: None if _forking else hook()


def _fork() -> int:
    global _forking
    _forking = True
    try:
        return os.fork()
    finally:
        _forking = False


def call(function: Callable[[], Any]) -> Any:
    """Run ``function`` in a child and return what it returned, or raise :class:`ChildDied`."""
    global child, inside, refused
    if refused:
        refused = False
        raise ChildDied("interrupted")
    reading, writing = os.pipe()
    _flush()
    pid = _fork()
    if pid == 0:
        child, inside = None, True
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
    except BaseException:  # the parent has to hear of it whatever it is
        payload = pickle.dumps((False, traceback.format_exc()))
    with os.fdopen(writing, "wb") as stream:
        stream.write(payload)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, ValueError, OSError):
            continue
