"""The outcomes of a program under real, preemptive threads, which pause at random between bytecodes.

Each trial runs in a process of its own, since threads may block each other for good, or leave the process. These are
forked from one that has imported nothing of Mazurka: where programs have been checked, models stand for locks and the
like, and would not wait in them. The outcomes are a sample: an outcome that is not seen may be possible nevertheless.

A trial ends as an interpreter does: threads that are no daemons are joined, then the exit handlers are called, and
daemons are gone.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import random
import select
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

#: The outcome of a trial that did not end in time.
HANGS: Final = "hangs"

#: So many trials of a program may come to no end before it is left.
_ENOUGH: Final = 3

_PAUSES: Final = (0.0, 0.0002, 0.001, 0.003)

#: The first letters of what a child writes: the result or output, a failure, the status.
_RESULT, _FAILURE, _STATUS = "R", "F", "S"


@dataclass(slots=True)
class RealOutcomes:
    """The results, or outputs, of trials (:data:`HANGS` of one that did not end), the names of the exceptions that
    ended threads, with the lines of the program where they were raised, and the exit statuses other than 0."""

    returned: set[str] = field(default_factory=set)
    failed: set[tuple[str, int]] = field(default_factory=set)
    statuses: set[int] = field(default_factory=set)


def outcomes(source: str, trials: int, patience: float = 5.0, is_script: bool = False) -> RealOutcomes:
    """The outcomes of some trials of a script, or of the function ``scenario()`` of a program."""
    made = subprocess.run(
        [sys.executable, "-m", "benchmarks.real_threads"],
        input=json.dumps([source, trials, patience, is_script]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    returned, failed, statuses = json.loads(made.stdout)
    return RealOutcomes(set(returned), {(name, line) for name, line in failed}, set(statuses))


def _outcomes(source: str, trials: int, patience: float, is_script: bool) -> RealOutcomes:
    code = compile(source, "program.py", "exec", dont_inherit=True)
    found = RealOutcomes()
    hung = 0
    for seed in range(trials):
        result, failures, status = _trial(code, seed, patience, is_script)
        hung += result == HANGS
        found.failed |= failures
        if status:
            found.statuses.add(status)
        if result is not None:
            found.returned.add(result)
        if hung >= _ENOUGH:
            break  # it costs patience
    return found


def _trial(code: CodeType, seed: int, patience: float, is_script: bool) -> tuple[str | None, set[tuple[str, int]], int]:
    reading, writing = os.pipe()
    with warnings.catch_warnings(
        action="ignore", category=DeprecationWarning
    ):  # that of threads: none of them is needed
        child = os.fork()
    if not child:
        os.close(reading)
        with contextlib.suppress(BaseException):
            _run(code, random.Random(seed), writing, is_script)
        os._exit(0)
    os.close(writing)
    output, is_late = _received(reading, patience)
    os.close(reading)
    if is_late:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return _read(output, is_late, status, is_script)


def _received(reading: int, patience: float) -> tuple[str, bool]:
    """All that the child writes, and whether it does not end."""
    output, end = b"", time.monotonic() + patience
    while select.select([reading], [], [], max(0.0, end - time.monotonic()))[0]:
        part = os.read(reading, 65536)
        if not part:
            return output.decode(), False
        output += part
    return output.decode(), True


def _read(output: str, is_late: bool, status: int, is_script: bool) -> tuple[str | None, set[tuple[str, int]], int]:
    result, failures, own_status = "" if is_script else None, set(), 0
    for line in output.splitlines():
        kind, _, text = line.partition(" ")
        if kind == _FAILURE:
            name, _, number = text.partition(" ")
            failures.add((name, int(number)))
        elif kind == _STATUS:
            own_status = int(text)
        elif kind == _RESULT:
            result = (result or "") + text
    code = os.waitstatus_to_exitcode(status)
    return HANGS if is_late else result, failures, own_status or max(code, 0)


def _run(code: CodeType, chance: random.Random, writing: int, is_script: bool) -> None:
    """In the child: make a trial."""

    def write(kind: str, text: object) -> None:
        os.write(writing, f"{kind} {text}\n".encode())

    def fail(raised: BaseException | None) -> None:
        lines = [
            line
            for frame, line in traceback.walk_tb(raised.__traceback__ if raised else None)
            if frame.f_code.co_filename == code.co_filename
        ]
        write(_FAILURE, f"{type(raised).__name__} {lines[-1] if lines else 0}")

    def show(*values: object, **_: object) -> None:
        write(_RESULT, " ".join(map(str, values)))

    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    threading.excepthook = lambda raised: None if raised.exc_type is SystemExit else fail(raised.exc_value)
    sys.unraisablehook = lambda raised: None if raised.exc_type is SystemExit else fail(raised.exc_value)
    atexit._clear()
    space: dict[str, Any] = {"__name__": "__main__" if is_script else "program", "print": show}
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

    if not is_script:
        exec(code, space)
    threading.settrace(trace)
    sys.setswitchinterval(1e-5)
    sys.settrace(trace)
    status = 0
    try:
        if is_script:
            exec(code, space)
        else:
            write(_RESULT, _called(space["scenario"]))
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    except Exception as error:
        fail(error)
    finally:
        sys.settrace(None)
    if is_script:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    if status:
        write(_STATUS, status)


def _called(scenario: Callable[[], str]) -> str:
    return scenario()


if __name__ == "__main__":
    _found = _outcomes(*json.load(sys.stdin))
    print(json.dumps([sorted(_found.returned), sorted(_found.failed), sorted(_found.statuses)]))
