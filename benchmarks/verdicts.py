"""Verdicts on program files, fast: each check in a forked child of a process that has imported what programs import.

Cost: a fifth of a second for a small program; half of it is the fork of a process with NumPy in it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.oracle.preemptive import in_child

VIOLATION: Final = "violation"
VERIFIED: Final = "verified"
INCONCLUSIVE: Final = "inconclusive"
#: No verdict: the checker raised, died, or was killed as too slow.
CRASH: Final = "crash"

#: How much longer than its time limit a check may take before it is killed.
_MERCY: Final = 20.0


@dataclass(frozen=True, slots=True)
class Said:
    """What a check said: its verdict, why (what is untracked or uncontrolled, the failure, the traceback), and of how
    many executions."""

    verdict: str
    reasons: tuple[str, ...] = field(default=())
    executions: int = 0


def get_ready(modules: Iterable[str]) -> None:
    """Import what programs will, and what checks do; then there is less to do for each child."""
    for name in (*modules, "mazurka.cli.check", "mazurka.api", "concurrent.futures.thread", "logging", "asyncio"):
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "first.py")
        file.write_text(_FIRST)
        _check(str(file), 10.0, {})
    gc.freeze()


def said_of(file: str | Path, seconds: float = 10.0, **settings: Any) -> Said:
    """Check a program file."""
    path = os.path.abspath(file)
    with tempfile.TemporaryDirectory(prefix="check-") as folder:

        def run() -> str:
            os.chdir(folder)
            return json.dumps(_check(path, seconds, settings))

        ended = in_child(run, seconds + _MERCY)
    with contextlib.suppress(ValueError):
        verdict, reasons, executions = json.loads(ended.text)
        return Said(verdict, tuple(reasons), executions)
    return Said(CRASH, (ended.text or ("too slow" if ended.late else f"died of status {ended.status}"),))


def _check(path: str, seconds: float, settings: dict[str, Any]) -> tuple[str, list[str], int]:
    from mazurka.config import from_arguments, resolve
    from mazurka.workflows.checking import check
    from mazurka.workflows.program_spec import open_program, subject_of

    given = {"save": False, "jobs": 1, "time_limit": seconds, **settings}
    options = resolve(from_arguments(given, "hostile"), environ={})
    subject = subject_of(path, (), options)
    program = open_program(subject, options, None)
    try:
        report = check(program, subject, options)
    finally:
        program.close()
    if report.inconsistencies:
        return CRASH, list(report.inconsistencies), report.executions
    reasons = [f"{each.kind}: {each.message}" for each in report.findings]
    reasons += [*report.untracked, *report.uncontrolled] if not reasons else []
    return report.verdict.value, reasons or [report.reason], report.executions


_FIRST: Final = """\
import threading
n = 0
lock = threading.Lock()
def bump():
    global n
    with lock:
        n += 1
threads = [threading.Thread(target=bump) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert n == 2
"""
