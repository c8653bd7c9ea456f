"""How often ordinary uses of released libraries get an answer, and whether it is right.

    make bench ARGS=libraries                          all (most of an hour); needs PyPI once
    make bench ARGS="libraries --only 'zict*'"         some
    make bench ARGS="libraries --keep"                 and puts the figures into docs/reference/libraries.md

A use is a file of ``benchmarks/programs/libraries`` with a function ``test``, as a user of the library writes it. Its
head names the ``package`` that it uses, the modules that are included, and the expected answer: ``correct`` holds in
every order, ``bug`` fails in one; for a bug also the step that its explanation ``shows``. The expected answers were
compared with real threads (:mod:`benchmarks.library_threads`).
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.library_environment import PROGRAMS, keep, python, version_of
from benchmarks.row import SRC, Row, Settings

#: Demanded: the share of correct uses that are verified.
_VERIFIED: Final = 0.9

#: How long a check may take beyond its time limit.
_MERCY: Final = 60.0

_COLUMNS: Final = ("use", "of", "expected", "verdict", "seconds", "executions", "reason or failure")


@dataclass(frozen=True, slots=True)
class Use:
    """A program that uses a library, and the data in its head."""

    file: Path
    package: str
    include: tuple[str, ...]
    correct: bool
    shows: str

    @property
    def name(self) -> str:
        return self.file.stem


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of checking a use: the verdict, or how the command ended; ``seconds`` are those of the whole command,
    ``why`` is the failure or the reason why there is no answer, ``explained`` the explanation as text."""

    verdict: str
    seconds: float
    executions: int
    why: str
    explained: str = ""


def uses(only: str = "*") -> list[Use]:
    """Those whose names match."""
    files = (file for file in sorted(PROGRAMS.glob("*.py")) if fnmatch.fnmatch(file.stem, only))
    return [_use(file) for file in files if file.stem != "together"]


def _use(file: Path) -> Use:
    head = dict(re.findall(r"^# (package|include|expect|shows): (.+)$", file.read_text(), re.MULTILINE))
    if {"package", "include", "expect"} - head.keys() or head["expect"] not in ("correct", "bug"):
        raise SystemExit(f"{file}: its head needs `# package:`, `# include:` and `# expect: correct` or `bug`")
    include = tuple(part.strip() for part in head["include"].split(","))
    return Use(file, head["package"], include, head["expect"] == "correct", head.get("shows", ""))


def measure(settings: Settings) -> Iterator[Row]:
    interpreter = python()
    answers: list[tuple[Use, Answer]] = []
    for use in uses(settings.only):
        answer = check(interpreter, use, settings.seconds, settings.jobs)
        answers.append((use, answer))
        if settings.keep:
            keep("## Uses", _COLUMNS, {use.name: _cells(use, answer)}, [each.name for each in uses()])
        yield _row(use, answer)
    yield from _totals(answers)


def check(interpreter: Path, use: Use, seconds: float, jobs: int) -> Answer:
    """Run ``mazurka check`` on a use, in an empty folder of its own."""
    with tempfile.TemporaryDirectory(prefix="use-") as folder:
        for file in (use.file, PROGRAMS / "together.py"):
            shutil.copy(file, folder)
        command = [
            str(interpreter),
            "-m",
            "mazurka",
            "check",
            f"{use.file.name}::test",
            "--format",
            "json",
            "--no-save",
        ]
        command += [part for each in use.include for part in ("--include", each)]
        command += ["--time-limit", str(seconds), "--jobs", str(jobs), "--no-progress"]
        environment = {**os.environ, "PYTHONPATH": str(SRC)}
        begun = time.monotonic()
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False,
                stdin=subprocess.DEVNULL, timeout=seconds + _MERCY,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Answer("no end", time.monotonic() - begun, 0, f"stopped {_MERCY:.0f} s after the time limit")
        return _answer(done, time.monotonic() - begun)


def _answer(done: subprocess.CompletedProcess[str], seconds: float) -> Answer:
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return Answer(f"status {done.returncode}", seconds, 0, (done.stderr.strip() or "no output").splitlines()[-1])
    failures = report["failures"]
    why = failures[0]["message"] if failures else _reason(report) if report["verdict"] == "inconclusive" else ""
    if failures and failures[0]["exception"] not in (None, why.partition(":")[0]):
        why = f"{failures[0]['exception']}: {why}"
    explained = json.dumps(failures[0]["explanation"]) if failures else ""
    return Answer(report["verdict"], seconds, report["executions"], why, explained)


def _reason(report: dict[str, Any]) -> str:
    names = [name for name in (*report["untracked"], *report["uncontrolled"]) if name not in report["reason"]]
    return "; ".join([report["reason"], *names[:2]])


def _row(use: Use, answer: Answer) -> Row:
    demanded = "verified" if use.correct else "violation"
    wrong = answer.verdict == ("violation" if use.correct else "verified")
    unseen = answer.verdict == demanded and use.shows not in answer.explained
    note = f"the explanation does not show {use.shows}: {answer.why}" if unseen else answer.why
    figures = f"{answer.seconds:.1f} s, {answer.executions:,} runs"
    holds = False if wrong or unseen else None
    return Row(use.name, demanded, answer.verdict, figures, _short(note), holds)


def _short(text: str, most: int = 160) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 4]} ..."


def _cells(use: Use, answer: Answer) -> Sequence[str]:
    package = f"{use.package} {version_of(use.package)}"
    expected = "correct" if use.correct else "bug"
    why = _short(re.sub(r"\S*/site-packages/|(?<![\w.])/(?:[\w.+-]+/)+", "", answer.why))
    return package, expected, answer.verdict, f"{answer.seconds:.1f}", f"{answer.executions:,}", why


def _totals(answers: Sequence[tuple[Use, Answer]]) -> Iterator[Row]:
    correct = [answer.verdict for use, answer in answers if use.correct]
    bugs = [answer.verdict for use, answer in answers if not use.correct]
    wrong = correct.count("violation") + bugs.count("verified")
    yield Row("wrong answers", "0", str(wrong), holds=not wrong)
    yield _part("correct uses verified", correct.count("verified"), len(correct), _VERIFIED)
    yield _part("bugs found", bugs.count("violation"), len(bugs), 1.0)


def _part(figure: str, count: int, total: int, demanded: float) -> Row:
    share = count / total if total else 1.0
    return Row(figure, f">= {demanded:.0%}", f"{share:.0%}", f"{count} of {total}", holds=share >= demanded)
