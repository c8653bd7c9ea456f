"""Verdicts on program files, fast: each check runs in a forked child of a process that has imported the programs'
modules.

Cost: a fifth of a second for a small program; half of it is the fork of a process with NumPy in it.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import json
import os
import tempfile
from collections.abc import Iterable, Sequence
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
    """The result of a check: its verdict, the reason (untracked or uncontrolled operations, the failure, the
    traceback), and the number of executions."""

    verdict: str
    reasons: tuple[str, ...] = field(default=())
    executions: int = 0


def get_ready(modules: Iterable[str]) -> None:
    """Import the modules that programs and checks need, so that each child has less to do."""
    for name in (*modules, "mazurka.cli.check", "mazurka.api", "concurrent.futures.thread", "logging", "asyncio"):
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        for name, source in (("correct.py", _CORRECT), ("failing.py", _CORRECT.replace("with lock", "if lock"))):
            file = Path(folder, name)
            file.write_text(source)
            for strategy in ("ncmc", "se-mcr", "auto"):
                _check(str(file), (strategy,), 10.0, {})
    gc.freeze()


def said_of(file: str | Path, seconds: float = 10.0, **settings: Any) -> Said:
    """Check a program file; ``seconds`` is the time limit of the check."""
    return said_by_each(file, ("auto",), seconds, **settings)["auto"]


def said_by_each(
    file: str | Path, strategies: Sequence[str], seconds: float = 10.0, **settings: Any
) -> dict[str, Said]:
    """Check a program file by several strategies, each of which has ``seconds``.

    The program is loaded and made ready once, which is most of the work for a small one; each strategy but the last one
    then has a fork of that process, so that none finds state that another one has left. A program that can't be forked
    is loaded for each strategy.
    """
    said = _said_in_child(file, strategies, seconds, settings)
    for name in strategies:
        if name not in said:
            said |= _said_in_child(file, (name,), seconds, settings)
    return said


def _said_in_child(
    file: str | Path, strategies: Sequence[str], seconds: float, settings: dict[str, Any]
) -> dict[str, Said]:
    path = os.path.abspath(file)
    with tempfile.TemporaryDirectory(prefix="check-") as folder:

        def run() -> str:
            os.chdir(folder)
            return json.dumps(_check(path, strategies, seconds, settings))

        ended = in_child(run, (seconds + _MERCY) * len(strategies))
    with contextlib.suppress(ValueError):
        return {name: Said(said[0], tuple(said[1]), said[2]) for name, said in json.loads(ended.text).items()}
    reason = ended.text or ("too slow" if ended.late else f"died of status {ended.status}")
    return dict.fromkeys(strategies, Said(CRASH, (reason,)))


def _check(
    path: str, strategies: Sequence[str], seconds: float, settings: dict[str, Any]
) -> dict[str, tuple[str, list[str], int]]:
    """Strategy -> verdict, reasons and executions; of a program that can't be forked, for the last one only."""
    from mazurka.config import from_arguments, resolve
    from mazurka.program import forked
    from mazurka.workflows.program_spec import open_program, subject_of

    given = {"save": False, "jobs": 1, "time_limit": seconds, **settings}
    *others, last = [resolve(from_arguments({**given, "strategy": each}, "hostile"), environ={}) for each in strategies]
    subject = subject_of(path, (), last)
    program = open_program(subject, last, None)
    said = {}
    try:
        if others:
            program.prepare()
            if program.facts().forkable:
                for options in others:
                    check_it = functools.partial(_check_opened, program, subject, options)
                    said[options.strategy] = forked.call(check_it)
        said[last.strategy] = _check_opened(program, subject, last)
    finally:
        program.close()
    return said


def _check_opened(program: Any, subject: Any, options: Any) -> tuple[str, list[str], int]:
    from mazurka.workflows.checking import check

    report = check(program, subject, options)
    if report.inconsistencies:
        return CRASH, list(report.inconsistencies), report.executions
    reasons = [f"{each.kind}: {each.message}" for each in report.findings]
    reasons += [*report.untracked, *report.uncontrolled] if not reasons else []
    return report.verdict.value, reasons or [report.reason], report.executions


_CORRECT: Final = """\
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
