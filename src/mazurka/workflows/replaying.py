"""The result of a replay in words, as a report and as an error; for the command line and the pytest plugin."""

from __future__ import annotations

import os
from functools import partial
from typing import assert_never

from mazurka.errors import MazurkaError
from mazurka.program.protocol import Program
from mazurka.replay.anchor import portable_path
from mazurka.replay.codec import is_token, to_token
from mazurka.replay.replayer import Ending, Replay
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.explain import describe
from mazurka.report.finding import Finding
from mazurka.workflows.certifying import examined, orders_in
from mazurka.workflows.program_spec import PYTHON, RUNNER


def diverged(result: Replay) -> MazurkaError:
    """The error that the program no longer follows the schedule."""
    changed = "the source has changed since" if result.program_changed else "the source is the same"
    return MazurkaError(
        "schedule-diverged",
        f"{result.difference}\n  ({changed})",
        where=result.schedule.target,
        hint="check the program again to find out whether the bug is still there",
    )


def summary(result: Replay) -> str:
    """The result of the replay, on one line."""
    match result.ending:
        case Ending.REPRODUCED:
            often = f", {result.reproduced} of {result.times} times" if result.times > 1 else ""
            return f"reproduced{often}: {_first_line(result)}"
        case Ending.OTHER_FAILURE:
            return f"not reproduced: the schedule now leads to another failure: {_first_line(result)}"
        case Ending.NO_FAILURE:
            return "not reproduced: the schedule was followed to its end, and the program no longer fails there"
        case Ending.DIVERGED:
            return f"not reproduced: {result.difference}"
        case never:
            assert_never(never)


def _first_line(result: Replay) -> str:
    return result.failure.message.strip().partition("\n")[0] if result.failure is not None else ""


def report_of(result: Replay, program: Program, given: str, *, orders: bool = False) -> CheckReport:
    """A replay's outcome as a report; with ``orders``, it says which steps can change places."""
    findings: tuple[Finding, ...] = ()
    if result.failure is not None:
        token = to_token(result.schedule)
        path = "" if is_token(given) else portable_path(os.path.abspath(given))
        finding = describe(
            result.run,
            result.failure,
            program,
            schedule=path,
            token=token,
            witness=examined(result.run, result.failure),
            replayed=result.ending is Ending.REPRODUCED,
            engine="replay",
            replay="" if result.schedule.options.get(RUNNER) == PYTHON else f"mazurka replay {given}",
            orders=partial(orders_in, result.run, result.failure) if orders else None,
        )
        findings = (finding,)
    return CheckReport(
        target=result.schedule.target,
        verdict=Verdict.VIOLATION if findings else Verdict.INCONCLUSIVE,
        reason=summary(result) if not findings else "",
        strategy="replay",
        memory_model=result.schedule.memory_model,
        executions=result.reproduced + (result.ending is not Ending.REPRODUCED),
        seconds=result.run.seconds,
        findings=findings,
    )
