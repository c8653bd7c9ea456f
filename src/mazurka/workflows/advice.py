"""One line of advice on an inconclusive check: what made the program large or the search unsure, and the next command.

A check goes on where it was stopped, so a larger limit is no repetition. Nothing of the advice enters the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from shlex import quote
from typing import Final

from mazurka.config import KEYS, Options
from mazurka.explore.bounded import EXPIRED
from mazurka.explore.outcome import Inconclusive, Outcome
from mazurka.explore.registry import STRATEGIES
from mazurka.program.protocol import ENTERED, TIMEOUTS
from mazurka.report.coverage import CoverageReport
from mazurka.report.words import counted
from mazurka.workflows.program_spec import PYTHON, RUNNER, ProgramSpec, loading_of

#: The factor by which limits are raised.
_MORE: Final = 4

#: Settings that decide what is executed, beside those that schedules keep.
_KEPT: Final = ("strategy", "memory-model", "races")

_INCLUDE: Final = re.compile(r"\(add --include ([\w.,]+)\)")


def advice_on(outcome: Outcome, coverage: CoverageReport | None, subject: ProgramSpec, options: Options) -> str:
    """The advice; empty if the search is not what made the check inconclusive."""
    if not isinstance(outcome.verdict, Inconclusive) or outcome.threads <= 1:
        return ""
    cause, then, settings = _step(outcome, coverage, options)
    return f"{cause}; {then}: {_command(subject, options, settings)}"


def _step(outcome: Outcome, coverage: CoverageReport | None, options: Options) -> tuple[str, str, dict[str, object]]:
    """The cause, what to do about it, and the settings that do it."""
    reason = outcome.verdict.reason if isinstance(outcome.verdict, Inconclusive) else ""
    if not STRATEGIES[options.strategy].exhaustive:
        return "samplers cover nothing for certain", "search systematically, too", {"strategy": "auto"}
    if reason.startswith("the run was cut after") and "steps" in reason:
        return "an execution went on and on", "let it go on", {"max-steps": _MORE * options.max_steps}
    if included := next(filter(None, map(_INCLUDE.search, outcome.untracked)), None):
        modules = included[1]
        every = [*options.include, *modules.split(",")]
        return f"threads enter {modules}, which is not explored", "explore it, too", {"include": every}
    if not outcome.complete and (reached := _raised(reason, options)):
        return _on_larger_limits(coverage, reached)
    if TIMEOUTS in outcome.uncontrolled or EXPIRED in reason or (outcome.waits.expired and not outcome.untracked):
        return "timeouts fire", "execute every order, in which they have their place", {"strategy": "icb"}
    for names, what in ((outcome.untracked, "can't be tracked"), (outcome.uncontrolled, "can't be controlled")):
        if names:
            most = max(names, key=lambda name: (names[name], name)).removeprefix(ENTERED)
            return f"{most} {what}, so nothing can be proved", "look for bugs only", {"strategy": "pos"}
    return reason, "look for bugs only", {"strategy": "pos"}


def _raised(reason: str, options: Options) -> dict[str, object]:
    """The limit that was reached, raised; empty if none was."""
    if "executions was reached" in reason and options.max_executions is not None:
        return {"max-executions": _MORE * options.max_executions}
    if reason.startswith("the time limit of") and options.time_limit is not None:
        return {"time-limit": _MORE * options.time_limit}
    return {}


def _on_larger_limits(
    coverage: CoverageReport | None, settings: dict[str, object]
) -> tuple[str, str, dict[str, object]]:
    cause = "there are more orders than could be executed"
    if coverage is not None and coverage.causes:
        most = coverage.causes[0]
        share = f"{most.share:.0%}".replace("%", " %")
        cause = f"{share} of the orders differ only in which thread {most.action} first at {most.location}"
    if coverage is None or coverage.preemptions is None:
        return cause, "go on", settings
    wanted = coverage.preemptions + 1
    return cause, f"go on to {counted(wanted, 'preemption')}", {"require": f"preemptions={wanted}", **settings}


def _command(subject: ProgramSpec, options: Options, settings: Mapping[str, object]) -> str:
    """The command with these settings, and those of the check that decide what is executed."""
    if subject.loading.get(RUNNER) == PYTHON:
        return ", ".join(f"{name.replace('-', '_')}={value!r}" for name, value in settings.items())
    words = ["mazurka", "check", subject.target]
    kept = {KEYS[name].name: getattr(options, KEYS[name].field) for name in _KEPT} | loading_of(options)
    default = {key: getattr(Options(), KEYS[key].field) for key in kept}
    for name, value in {**kept, **settings}.items():
        if value == default.get(name):
            continue
        option = f"--{'property' if name == 'properties' else name}"
        for each in value if isinstance(value, list | tuple) else (value,):
            words.append(option)
            if each is not True:
                words.append(f"{each:g}" if isinstance(each, float) else str(each))
    return " ".join(map(quote, [*words, *(["--", *subject.arguments] if subject.arguments else [])]))
