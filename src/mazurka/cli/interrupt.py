"""Ctrl-C during a check: the first ends the search in good order, the second ends the process.

The program under test runs in this thread, so that Python's own `KeyboardInterrupt` would be raised within it and look
like a failure of the program. Instead, the first signal cuts the execution in progress short and asks the search to
stop; failures and open work are saved. The second has the system's default effect, and so has the first in a child that
makes one execution: it is passed on to the child if it did not come from the terminal.
"""

from __future__ import annotations

import contextlib
import os
import signal
from types import FrameType
from typing import Any, Self

from mazurka.program import forked
from mazurka.program.python import activation
from mazurka.program.python.outside.replacing import ASIDE


class Interrupt:
    """While entered, turns the first SIGINT into :attr:`requested`, and cuts the execution in progress short."""

    def __init__(self) -> None:
        self.requested = False
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(self, *exception: object) -> None:
        signal.signal(signal.SIGINT, self._before)
        forked.refused = False

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        with ASIDE:  # called in the midst of a thread of the program, whose calls are modelled
            signal.signal(number, signal.SIG_DFL)
            if forked.child is None:
                forked.refused = activation.active is None
            else:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(forked.child, number)
            if forked.inside:
                signal.raise_signal(number)
            os.write(2, b"\nmazurka: stopping after this execution; press Ctrl-C again to end at once\n")
        cut_short()


def cut_short() -> None:
    """End the execution in progress at its next step."""
    if activation.active is not None:
        activation.active.interrupt()
