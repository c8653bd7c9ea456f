"""The answer of `check` for a failure whose witness does not hold, and for values that no tracked code has written."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from mazurka.cli.check import status_of
from mazurka.config import resolve
from mazurka.program.protocol import Plan, Run
from mazurka.program.python.entry import Function
from mazurka.program.python.program import Isolation, ProgramSettings, PythonProgram
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.render import renderer
from mazurka.trace.event import Op
from mazurka.workflows.checking import check
from mazurka.workflows.program_spec import ProgramSpec

_LOCKED = """
import threading

def program():
    lock, seen = threading.Lock(), []

    def work():
        with lock:
            seen.append(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not seen, "seen"
"""

_OUT_OF_SIGHT = """
import threading
from dataclasses import dataclass

@dataclass
class Point:
    x: int

def program():
    point = Point(1)

    def change():
        before = point.x
        Point.__init__(point, 2)  # code that the decorator made, which is not tracked
        assert point.x == before, "changed"

    thread = threading.Thread(target=change)
    thread.start()
    thread.join()
"""


class _Forgetful(PythonProgram):
    """A front end that is wrong: when values are wanted it forgets to log that a lock is given back."""

    def execute(self, plan: Plan) -> Run:
        run = super().execute(plan)
        first = next((i for i, step in enumerate(run.log) if step.op is Op.RELEASE), None)
        if plan.detail and first is not None:
            del run.log[first]
            run.failures = [replace(failure, step=failure.step - 1) for failure in run.failures]
        return run


def _checked(made: Callable[..., PythonProgram], text: str, folder: Path) -> CheckReport:
    path = folder / "witnessed.py"
    path.write_text(text)
    entry = Function(str(path), "program")
    program = made(entry, ProgramSettings(roots=(str(folder),), isolation=Isolation.RESTORE))
    try:
        return check(program, ProgramSpec("witnessed.py::program", (), {}), resolve(directory=folder, environ={}))
    finally:
        program.close()
        sys.modules.pop("witnessed", None)


def test_a_failure_that_is_not_believed_is_an_error_of_ours(tmp_path: Path) -> None:
    report = _checked(_Forgetful, _LOCKED, tmp_path)
    assert (report.verdict, report.findings) == (Verdict.INCONCLUSIVE, ())
    assert "is taken while thread 0.1 has it" in report.inconsistencies[0]
    assert status_of(report, resolve(directory=tmp_path, environ={}), interrupted=False) == 2
    assert "error: a failure was found (AssertionError: seen), but" in renderer("text").render(report)
    assert json.loads(renderer("json").render(report))["inconsistencies"] == list(report.inconsistencies)
    assert 'errors="1"' in renderer("junit").render(report)
    assert renderer("github").render(report).startswith("::error ")


def test_the_same_failure_is_believed_of_a_front_end_that_is_right(tmp_path: Path) -> None:
    report = _checked(PythonProgram, _LOCKED, tmp_path)
    assert report.verdict is Verdict.VIOLATION
    (finding,) = report.findings
    assert finding.witness is not None
    assert finding.witness.checked
    assert finding.witness.events == len(finding.execution)
    assert finding.replayed


def test_values_that_nothing_tracked_has_written(tmp_path: Path) -> None:
    report = _checked(PythonProgram, _OUT_OF_SIGHT, tmp_path)
    assert report.verdict is Verdict.VIOLATION
    witness = report.findings[0].witness
    assert witness is not None
    assert not witness.checked
    assert report.findings[0].replayed
    assert "witness not checked, since untracked operations change shared state" in " ".join(
        renderer("text").render(report).split()
    )
