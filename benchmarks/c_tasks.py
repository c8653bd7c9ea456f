"""Verdicts on C programs in the style of SV-COMP's concurrency tasks, and how many are reached in a minute.

    make bench ARGS="c-tasks --jobs 2"                 all (some minutes)
    make bench ARGS="c-tasks --only 'pthread-wmm/*'"   some
    make bench ARGS="c-tasks --jobs 2 --keep"          and puts the figures into docs/reference/c-tasks.md

A task is a file of ``benchmarks/c_tasks``, in the directory of SV-COMP whose style it has, or in that of
preprocessed programs, or of those for other verifiers. Its first line names the expected verdict: ``error``, an
assertion fails in some order, or it calls ``reach_error()``; ``correct``, none does, and all threads that are waited
for can end; ``livelock``, none does, but the program has threads that run for ever. It may name a memory model.

A verdict is wrong if it is ``verified`` for a task with an error or a livelock, a violation for one that is correct,
or a violation of another kind than the expected one. It must never be. An ``inconclusive`` one is undecided.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.library_environment import keep
from benchmarks.row import ROOT, SRC, Row, Settings

TASKS: Final = ROOT / "benchmarks" / "c_tasks"
PAGE: Final = ROOT / "docs" / "reference" / "c-tasks.md"

#: Demanded: the share of tasks that are decided.
_DECIDED: Final = 0.85

#: How long a check may take beyond its time limit.
_MERCY: Final = 60.0

#: The kinds of failures that each expected verdict stands for.
_KINDS: Final = {"correct": (), "error": ("assertion",), "livelock": ("livelock", "blocked")}

_HEAD: Final = re.compile(r"// expected: (correct|error|livelock)(?:; memory model: (sc|tso|pso))?")

_COLUMNS: Final = ("task", "expected", "verdict", "seconds", "executions", "strategy", "reason")


@dataclass(frozen=True, slots=True)
class Task:
    """A program, the expected verdict, and the memory model under which it is expected."""

    file: Path
    expected: str
    model: str

    @property
    def name(self) -> str:
        return f"{self.file.parent.name}/{self.file.stem}"


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of checking a task: the verdict, the kind of its failure (empty if there is none), seconds of the
    whole command, executions, the strategy that ended the search, and why there is no answer."""

    verdict: str
    kind: str
    seconds: float
    executions: int
    strategy: str
    reason: str

    def judged(self, expected: str) -> str:
        """``right``, ``wrong``, or ``undecided``."""
        if self.verdict not in ("verified", "violation"):
            return "undecided"
        kinds = _KINDS[expected]
        return "right" if (self.kind in kinds if self.verdict == "violation" else not kinds) else "wrong"


def tasks(only: str = "*") -> list[Task]:
    """Those whose names match."""
    found = []
    for file in sorted(TASKS.glob("*/*.[ci]")):
        head = file.read_text().partition("\n")[0]
        match = _HEAD.fullmatch(head)
        if match is None:
            raise SystemExit(f"{file}: its first line is not `// expected: correct`, `error` or `livelock`: {head}")
        task = Task(file, match[1], match[2] or "sc")
        if fnmatch.fnmatch(task.name, only):
            found.append(task)
    return found


def measure(settings: Settings) -> Iterator[Row]:
    answers: list[tuple[Task, Answer]] = []
    for task in tasks(settings.only):
        answer = check(task, settings.seconds, settings.jobs)
        answers.append((task, answer))
        if settings.keep:
            name = task.name
            keep("## Tasks", _COLUMNS, {name: _cells(task, answer)}, [each.name for each in tasks()], PAGE)
        judged = answer.judged(task.expected)
        note = f"{answer.seconds:.1f} s, {answer.executions:,} executions {answer.strategy} {answer.reason}".rstrip()
        shown = f"{answer.verdict} {answer.kind}".strip()
        yield Row(task.name, task.expected, shown, "", note, judged != "wrong")
    yield from _totals(answers)


def _totals(answers: Sequence[tuple[Task, Answer]]) -> Iterator[Row]:
    judged = [answer.judged(task.expected) for task, answer in answers]
    right, wrong, total = judged.count("right"), judged.count("wrong"), len(judged)
    if total:
        yield Row("wrong verdicts", "0", str(wrong), holds=wrong == 0)
        share = right / total
        yield Row("decided", f"{_DECIDED:.0%}", f"{share:.0%}", "", f"{right} of {total}", share >= _DECIDED)


def check(task: Task, seconds: float, jobs: int) -> Answer:
    """Run ``mazurka check`` on a task, in an empty folder of its own."""
    command = [
        sys.executable, "-m", "mazurka", "check", str(task.file), "--memory-model", task.model,
        "--time-limit", str(seconds), "--jobs", str(jobs), "--format", "json", "--no-save", "--no-progress",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="task-") as folder:
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False,
                stdin=subprocess.DEVNULL, timeout=seconds + _MERCY,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            late = f"stopped {_MERCY:.0f} s after the time limit"
            return Answer("no end", "", time.monotonic() - begun, 0, "", late)
    return _answer(done, time.monotonic() - begun)


def _answer(done: subprocess.CompletedProcess[str], seconds: float) -> Answer:
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip() or "no output").splitlines()[-1]
        return Answer(f"status {done.returncode}", "", seconds, 0, "", last)
    failures = report["failures"]
    kind = failures[0]["kind"] if failures else ""
    return Answer(
        report["verdict"],
        kind,
        seconds,
        report["executions"],
        report["strategy"],
        _reason(report) if not failures else "",
    )


def _reason(report: dict[str, Any]) -> str:
    if report["verdict"] == "verified":
        return ""
    names = [name for name in (*report["untracked"], *report["uncontrolled"]) if name not in report["reason"]]
    return "; ".join([report["reason"], *names[:2]])


def _cells(task: Task, answer: Answer) -> tuple[str, ...]:
    expected = task.expected if task.model == "sc" else f"{task.expected} ({task.model})"
    return (
        expected,
        f"{answer.verdict} {answer.kind}".strip(),
        f"{answer.seconds:.1f}",
        f"{answer.executions:,}",
        answer.strategy,
        answer.reason,
    )
