"""Ctrl-C during a check: the first ends the search in good order, the second ends the process.

The program under test runs in this very thread, so that Python's own `KeyboardInterrupt` would be raised in the midst
of it and look like a failure of its. Instead, the first signal cuts the execution in progress short and asks the
search to stop; what was found and what is left are saved. The second has the system's own effect.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Self


class Interrupt:
    """While entered, turns the first SIGINT into :attr:`requested`; ``cut`` ends the execution in progress."""

    def __init__(self, cut: Callable[[], None]) -> None:
        self.requested = False
        self._cut = cut
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(self, *exception: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        signal.signal(number, signal.SIG_DFL)
        os.write(2, b"\nmazurka: stopping after this execution; press Ctrl-C again to end at once\n")
        self._cut()
