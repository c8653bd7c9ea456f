"""The tools of `mazurka mcp`: functions from arguments to reports, each a command in a process of its own.

Their signatures and docstrings are the descriptions that assistants read. Arguments are given to commands as they are,
but for those that would be taken for options, which are refused. A tool raises :class:`ToolFailure` if there is no
report.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

from mazurka.cli.explain import explanations
from mazurka.errors import did_you_mean

#: A report, as ``--format json`` prints it, with the status of the command.
Report = dict[str, Any]

#: The key of the status in a report.
STATUS: Final = "exit_status"


class ToolFailure(Exception):
    """A call without a result; the message says why."""


async def check(
    targets: list[str],
    time_limit: float = 60.0,
    strategy: str = "auto",
    memory_model: str = "sc",
    include: list[str] | None = None,
    invariant: str | None = None,
    races: bool = False,
    all_failures: bool = False,
    changed_since: str | None = None,
    arguments: list[str] | None = None,
) -> Report:
    """Run programs and tests in every relevant order of their threads, and report the failures, each with the
    interleaving that shows it and a schedule that replays it.

    targets: Python files (a.py, a.py::function), tests (test_a.py::test_b), or folders of tests. time_limit: seconds
    for each target. include: further packages to explore. invariant: an expression that must hold at the end. races:
    report data races, too. changed_since: a commit of git; report only failures in lines that have changed since then.
    arguments: of a single program.

    The verdict is violation, verified (no order of the threads can fail) or inconclusive (with a reason).
    """
    options = ["--time-limit", str(time_limit), "--strategy", strategy, "--memory-model", memory_model]
    options += [each for name in include or () for each in ("--include", name)]
    options += ["--invariant", invariant] if invariant is not None else []
    options += ["--races"] if races else []
    options += ["--all-failures"] if all_failures else []
    options += [f"--changed={changed_since}"] if changed_since is not None else []
    return await _report("check", options, _plain(targets), arguments)


async def predict(
    trace: str,
    kinds: list[str] | None = None,
    engine: str = "auto",
    confirm: bool = False,
    time_limit: float = 60.0,
) -> Report:
    """Find bugs that another order of the events of a recorded trace would show, each with a checked witness.

    trace: a directory that `mazurka record` wrote, or a trace file of another tool. kinds: some of races, deadlocks,
    atomicity, order-violations, call-orders; races and deadlocks if it is left out. confirm: run each finding on the
    recorded program.
    """
    options = ["--time-limit", str(time_limit), "--engine", engine]
    options += ["--kind", ",".join(kinds)] if kinds else []
    options += ["--confirm"] if confirm else []
    return await _report("predict", options, _plain([trace]))


async def replay(schedule: str) -> Report:
    """Run exactly one saved schedule again: a file that a report names, or its token. The exit status is 1 if the
    failure is still there, and 0 if it is not."""
    return await _report("replay", [], _plain([schedule]))


async def explain(error: str) -> str:
    """Explain an error of Mazurka by its name, the word in brackets after the message: its cause and its remedy."""
    known = explanations()
    if error not in known:
        raise ToolFailure(
            f"there is no error {error!r}; {did_you_mean(error, known) or 'there are ' + ', '.join(known)}"
        )
    return known[error]


#: All tools.
TOOLS: Final[tuple[Callable[..., Awaitable[Any]], ...]] = (check, predict, replay, explain)


def reporting(tool: Callable[..., Awaitable[Any]], error: type[Exception]) -> Callable[..., Awaitable[Any]]:
    """The tool, whose failures are exceptions of the SDK. Its annotations are types, as the SDK needs them."""

    @functools.wraps(tool)
    async def called(*arguments: Any, **named: Any) -> Any:
        try:
            return await tool(*arguments, **named)
        except ToolFailure as failure:
            raise error(str(failure)) from None

    called.__annotations__ = inspect.get_annotations(tool, eval_str=True)
    return called


def _plain(names: Iterable[str]) -> list[str]:
    """Names of files, none of which looks like an option."""
    listed = list(names)
    for name in listed:
        if name.startswith("-"):
            raise ToolFailure(f"{name!r} is not a name of a file; write ./{name}")
    return listed


async def _report(verb: str, options: list[str], names: list[str], arguments: list[str] | None = None) -> Report:
    """The report that a command prints; a call that is cancelled ends its process, with all that it has started."""
    command = [sys.executable, "-m", "mazurka", verb, *options, "--format", "json", *names]
    if arguments:
        command += ["--", *arguments]
    streams = {
        "stdin": asyncio.subprocess.DEVNULL,
        "stdout": asyncio.subprocess.PIPE,
        "stderr": asyncio.subprocess.PIPE,
    }
    process = await asyncio.create_subprocess_exec(*command, **streams, start_new_session=True)  # type: ignore[arg-type]
    try:
        printed, said = await process.communicate()
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        await process.communicate()  # to its end: the loop may be closed next
        raise
    try:
        report: Report = json.loads(printed)
    except ValueError:
        words = said.decode(errors="replace").strip() or f"`mazurka {verb}` ended with status {process.returncode}"
        raise ToolFailure(words) from None
    return {STATUS: process.returncode, **report}
