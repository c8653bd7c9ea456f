"""The outcomes of a program under real, preemptive threads, which pause at random between bytecodes.

Each trial runs in a process of its own, since threads may block each other for good. The outcomes are a sample: an
outcome that is not seen may be possible nevertheless.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, Final

#: The outcome of a trial that did not end in time.
HANGS: Final = "hangs"

#: So many trials of a program may come to no end before it is left.
_ENOUGH: Final = 3

_PAUSES: Final = (0.0, 0.0002, 0.001, 0.003)


def outcomes(source: str, trials: int, patience: float = 2.0) -> tuple[set[str], set[str]]:
    """The results of ``scenario()`` of a program in some trials, or :data:`HANGS`, and the failures of its threads."""
    code = compile(source, "program.py", "exec", dont_inherit=True)
    returned, failed = set(), set()
    hung = 0
    for seed in range(trials):
        result, *failures = _trial(code, seed, patience).split("\n")
        hung += result == HANGS
        if hung > _ENOUGH:
            break  # it costs patience
        failed.update(failures)
        if result:
            returned.add(result)
    return returned, failed


def _trial(code: CodeType, seed: int, patience: float) -> str:
    reading, writing = os.pipe()
    with warnings.catch_warnings(
        action="ignore", category=DeprecationWarning
    ):  # that of threads: none of them is needed
        child = os.fork()
    if not child:
        os.close(reading)
        with contextlib.suppress(BaseException):
            os.write(writing, _run(code, random.Random(seed)).encode())
        os._exit(0)
    os.close(writing)
    output = b""
    try:
        while select.select([reading], [], [], patience)[0]:
            part = os.read(reading, 65536)
            output += part
            if not part:
                return output.decode()
        return HANGS
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)


def _run(code: CodeType, chance: random.Random) -> str:
    """The result of a trial, and on further lines the failures of threads."""
    failures: list[str] = []
    threading.excepthook = lambda raised: failures.append(raised.exc_type.__name__)
    space: dict[str, Any] = {"__name__": "program"}
    exec(code, space)
    often = chance.choice((0.02, 0.1, 0.4))

    def pause(_frame: FrameType, event: str, _told: Any) -> Any:
        if event == "opcode" and chance.random() < often:
            time.sleep(chance.choice(_PAUSES))
        return pause

    def trace(frame: FrameType, _event: str, _told: Any) -> Any:
        if frame.f_code.co_filename != code.co_filename:
            return None
        frame.f_trace_opcodes = True
        return pause

    threading.settrace(trace)
    sys.setswitchinterval(1e-5)
    sys.settrace(trace)
    try:
        result = _called(space["scenario"])
    except Exception as error:
        failures.append(type(error).__name__)
        result = ""
    finally:
        sys.settrace(None)
    return "\n".join([result, *failures])


def _called(scenario: Callable[[], str]) -> str:
    return scenario()
