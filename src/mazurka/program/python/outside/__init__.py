"""State that threads share outside the Python heap: files, state of the process.

- :data:`REAL_AND_MODEL` are the functions to be replaced wherever modules have them, with their models;
- :func:`install` does the rest, and returns an object that undoes it, and that covers modules loaded later;
- :func:`at_end_of_process` and :func:`end_run` belong at the end of a run.
"""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Final

from mazurka.program.python.outside import (
    asking,
    cached_properties,
    chance,
    children,
    databases,
    descriptors,
    entries,
    exit_functions,
    file_locks,
    files,
    generated,
    logging_state,
    looking,
    loop_errors,
    opened_before,
    opening,
    process_state,
    protocols,
    replacing,
    selecting,
    sockets,
    streams,
    times,
    unseen_state,
    warning_state,
    weak_collections,
)
from mazurka.program.python.outside.exit_functions import at_end_of_process
from mazurka.program.python.outside.files import JOURNAL
from mazurka.program.python.outside.streams import Preparing
from mazurka.program.python.primitives import patch

#: Taken once, while everything is still real.
REAL_AND_MODEL: Final = replacing.pairs()

#: Modules that keep the real functions: imports use the first ones, reports the others.
SPARED: Final = frozenset(("posix", "_io", "_socket", "_signal", "_locale", "linecache", "tokenize", "traceback"))

#: Sets of `os` with those of its functions that support an argument.
_SETS: Final = ("supports_dir_fd", "supports_effective_ids", "supports_fd", "supports_follow_symlinks")


def _aside(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        with replacing.ASIDE:
            return function(*args, **named)

    return call


def end_run() -> list[str]:
    """A run has ended, with the objects that it left behind: returns the changes that could not be put back, in
    words."""
    sockets.end_run()
    databases.end_run()
    return files.end_run()


def recover() -> list[str]:
    """A process that made a run has died: put back the changes that it has left."""
    JOURNAL.recover()
    return JOURNAL.take_troubles()


class OutsideModels:
    """The replacements other than those of functions, while they are in place."""

    def __init__(self) -> None:
        self._methods = replacing.Methods()
        self._undo: list[Callable[[], object]] = [chance.install(), generated.install()]
        JOURNAL.recover()
        JOURNAL.recover_others()
        self._spare_reports()
        for name in _SETS:
            self._extend_set(getattr(os, name))

    def extend(self) -> None:
        """Cover the modules loaded since."""
        self._methods.extend()

    def undo(self) -> None:
        self._methods.undo()
        for undo in reversed(self._undo):
            undo()
        JOURNAL.recover()
        JOURNAL.close()

    def _spare_reports(self) -> None:
        """Have reports read lines of source with the real functions: this is no part of a run."""
        namespace: dict[str, Any] = vars(linecache)
        for name in ("updatecache", "checkcache"):
            before = namespace[name]
            namespace[name] = _aside(before)
            self._undo.append(partial(namespace.__setitem__, name, before))

    def _extend_set(self, functions: set[Any]) -> None:
        before = set(functions)
        functions.update([model for real, model in REAL_AND_MODEL if real in before])
        self._undo.append(lambda: functions.intersection_update(before))


patch.replace_also(REAL_AND_MODEL, SPARED, OutsideModels)

__all__ = [
    "REAL_AND_MODEL",
    "SPARED",
    "Installed",
    "Preparing",
    "asking",
    "at_end_of_process",
    "cached_properties",
    "children",
    "databases",
    "descriptors",
    "end_run",
    "entries",
    "exit_functions",
    "file_locks",
    "files",
    "generated",
    "logging_state",
    "looking",
    "loop_errors",
    "opened_before",
    "opening",
    "process_state",
    "protocols",
    "recover",
    "selecting",
    "sockets",
    "streams",
    "times",
    "unseen_state",
    "warning_state",
    "weak_collections",
]
