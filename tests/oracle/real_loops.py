"""What a script shows on CPython's own event loop, which is held up at random before callbacks.

A script of its own: ``python real_loops.py PROGRAM RUNS SEED`` prints a JSON list of the texts that executions have
printed, each once. An execution that takes a second counts as one that hangs.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any, Final

#: Seconds, most of them between delays of :mod:`task_programs`.
_PAUSES: Final = (0, 0, 0, 0.0007, 0.002, 0.004, 0.007)

#: Stands for the text of an execution that hangs.
HANGS: Final = "hangs"


def outcomes(source: str, runs: int, seed: int) -> list[str]:
    """The texts that a script prints in so many executions."""
    draw, code, real = random.Random(seed), compile(source, "program", "exec"), asyncio.events.Handle._run

    def run(handle: Any) -> None:
        time.sleep(draw.choice(_PAUSES))
        real(handle)

    asyncio.events.Handle._run = run  # type: ignore[method-assign]
    signal.signal(signal.SIGALRM, _interrupt)
    return sorted({_outcome(code) for _ in range(runs)})


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _outcome(code: Any) -> str:
    shown = io.StringIO()
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(io.StringIO()):
            exec(code, {"__name__": "__main__"})
    except KeyboardInterrupt:
        return HANGS
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return shown.getvalue()


if __name__ == "__main__":
    print(json.dumps(outcomes(Path(sys.argv[1]).read_text(), int(sys.argv[2]), int(sys.argv[3]))))
