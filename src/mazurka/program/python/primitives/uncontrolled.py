"""Calls without a model: during a run they are done for real, beyond the scheduler's control, and counted.

A run with such a call proves nothing about the program, so a count forbids ``Verified``.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import types
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.primitives.run import count_uncontrolled, here

#: module -> dotted names in it. Only modules that are loaded are touched.
ENTRY_POINTS: Final[dict[str, tuple[str, ...]]] = {
    "os": ("fork", "forkpty", "posix_spawn", "posix_spawnp", "system"),
    "ssl": ("SSLSocket.do_handshake", "SSLSocket.read", "SSLSocket.write"),
    "signal": ("pause", "sigwait", "setitimer", "alarm"),
    "multiprocessing.process": ("BaseProcess.start", "BaseProcess.join"),
    # Other interpreters (concurrent.interpreters), whose threads are not seen, and the data sent to them.
    "_xxsubinterpreters": ("create", "destroy", "run_string", "channel_send", "channel_recv"),
    "_interpreters": ("create", "destroy", "exec", "call", "run_string", "run_func", "set___main___attrs"),
    "_interpqueues": ("create", "put", "get", "get_count", "is_full"),
    "_interpchannels": ("create", "send", "send_buffer", "recv", "close"),
}

#: The entry points that start a child process.
_STARTING: Final = frozenset({"os.fork", "os.forkpty", "os.posix_spawn"})

_kill: Final = os.kill
_waitpid: Final[Any] = getattr(os, "waitpid", None)

#: The child processes of the run in progress.
_started: list[int] = []


def counted(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    """The real function, whose calls in a run are counted under ``name``."""

    @functools.wraps(real)
    def call(*args: Any, **kwargs: Any) -> Any:
        models = here()
        if models is not None:
            count_uncontrolled(models.runtime, name)
        result = real(*args, **kwargs)
        if models is not None and name in _STARTING:
            _started.append(_pid_of(result))
        return result

    return call


def started_processes() -> bool:
    """Whether the run has started child processes."""
    return bool(_started)


def note_started(process: int) -> None:
    """The run has started a child process."""
    _started.append(process)


def end_processes() -> None:
    """Kill the child processes that the run has started and left: the next run starts its own."""
    while _started:
        end_process(_started.pop())


def end_process(process: int) -> None:
    """Kill a child process if it is still there."""
    try:
        if process > 0 and _waitpid(process, os.WNOHANG)[0] == 0:
            _kill(process, signal.SIGKILL)
            _waitpid(process, 0)
    except OSError:  # the program has waited for it
        return


def _pid_of(result: int | tuple[int, int]) -> int:
    return result[0] if isinstance(result, tuple) else result


class Counting:
    """The counted entry points; modules that are loaded later are covered by calling :meth:`extend` again."""

    def __init__(self) -> None:
        self._covered: set[str] = set()
        self._undo: list[tuple[Any, str, Any, bool]] = []

    def extend(self) -> None:
        for module_name, names in ENTRY_POINTS.items():
            module = sys.modules.get(module_name)
            if module is None or module_name in self._covered:
                continue
            self._covered.add(module_name)
            for dotted in names:
                self._count(module, module_name, dotted)

    def _count(self, module: Any, module_name: str, dotted: str) -> None:
        *path, name = dotted.split(".")
        owner: Any = functools.reduce(lambda thing, part: getattr(thing, part, None), path, module)
        real = getattr(owner, name, None) if owner is not None else None
        if real is not None:
            self._undo.append((owner, name, real, name in vars(owner)))
            model = counted(f"{module_name}.{dotted}", real)
            # The replacement of a function in C must not become a method where a class holds it.
            setattr(owner, name, staticmethod(model) if isinstance(real, types.BuiltinFunctionType) else model)

    def undo(self) -> None:
        for owner, name, real, own in reversed(self._undo):
            if own:
                setattr(owner, name, real)
            else:
                delattr(owner, name)
        self._undo.clear()
        self._covered.clear()
