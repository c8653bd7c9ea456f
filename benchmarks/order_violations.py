"""Order violations of released libraries, predicted from one execution that passes, and shown by another one.

    make bench ARGS=order-violations                     all (a minute); needs PyPI once
    make bench ARGS="order-violations --only 'pykka*'"   some
    make bench ARGS="order-violations --keep"            and puts the table into docs/reference/libraries.md

A program is a file of ``benchmarks/programs/order_violations``. Its head names the ``package`` that it uses, the
modules that are included, the text that the finding ``shows`` (without the numbers of objects), its consequence
(``comes of it``) and where that is known (``reference``). It is recorded as it is, with real threads; the recording has
to pass, and ``mazurka predict --kind call-orders --confirm`` has to report the finding, its witness checked, and
confirmed by a replay. Other findings are counted. Pauses in programs are no synchronisation: they make it likely that
the good order is recorded.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.library_environment import keep, python, version_of
from benchmarks.row import ROOT, SRC, Row, Settings

_PROGRAMS: Final = ROOT / "benchmarks" / "programs" / "order_violations"
_HEAD: Final = ("package", "include", "shows", "comes of it", "reference")
_COLUMNS: Final = ("program", "of", "finding", "comes of it", "reference", "events", "seconds")
_LIMIT: Final = 300.0

#: Numbers of objects in names of calls.
_NUMBERS: Final = re.compile(r"[#@]\d+")


@dataclass(frozen=True, slots=True)
class _Program:
    file: Path
    head: dict[str, str]

    @property
    def of(self) -> str:
        """The release that it uses."""
        package = self.head["package"]
        return f"CPython {sys.version.split()[0]}" if package == "CPython" else f"{package} {version_of(package)}"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The words of the finding ("" if there is none), how far it is proven, how many others there are, of how many
    events, and the seconds of both commands."""

    sentence: str
    proof: str
    others: int
    events: int
    seconds: float


def measure(settings: Settings) -> Iterator[Row]:
    interpreter = python()
    names = [each.file.stem for each in _programs("*")]
    for program in _programs(settings.only):
        outcome = _outcome(interpreter, program)
        if settings.keep and outcome.proof == "confirmed":
            keep("## Order violations", _COLUMNS, {program.file.stem: _cells(program, outcome)}, names)
        yield Row(
            program.file.stem,
            "confirmed",
            outcome.proof,
            f"{outcome.seconds:.1f} s, {outcome.events} events",
            f"{outcome.sentence}; {outcome.others} more" if outcome.sentence else "",
            outcome.proof == "confirmed",
        )


def _programs(only: str) -> list[_Program]:
    files = (file for file in sorted(_PROGRAMS.glob("*.py")) if fnmatch.fnmatch(file.stem, only))
    return [_Program(file, _head(file)) for file in files]


def _head(file: Path) -> dict[str, str]:
    head = dict(re.findall(rf"^# ({'|'.join(_HEAD)}): (.+)$", file.read_text(), re.MULTILINE))
    if missing := [name for name in _HEAD if name not in head]:
        raise SystemExit(f"{file}: its head needs {', '.join(missing)}")
    return head


def _cells(program: _Program, outcome: _Outcome) -> list[str]:
    reference = program.head["reference"]
    cells = [program.of, f"{outcome.sentence}", program.head["comes of it"], "" if reference == "none" else reference]
    return [*cells, f"{outcome.events}", f"{outcome.seconds:.1f}"]


def _outcome(interpreter: Path, program: _Program) -> _Outcome:
    with tempfile.TemporaryDirectory(prefix="order-") as folder:
        shutil.copy(program.file, folder)
        begun = time.monotonic()
        include = [part for each in program.head["include"].split(", ") for part in ("--include", each)]
        recorded = _run(interpreter, folder, "record", program.file.name, *include)
        if recorded.returncode:
            return _Outcome("", "no passing recording", 0, 0, time.monotonic() - begun)
        options = ("--kind", "call-orders", "--confirm", "--format", "json", "--no-progress")
        report = json.loads(_run(interpreter, folder, "predict", f"{program.file.stem}.recording", *options).stdout)
        return _judged(program, report, time.monotonic() - begun)


def _judged(program: _Program, report: dict[str, Any], seconds: float) -> _Outcome:
    found = [(each, _NUMBERS.sub("", each["explanation"]["sentence"])) for each in report["findings"]]
    wanted = [(each, sentence) for each, sentence in found if program.head["shows"] in sentence]
    best = max(wanted, key=lambda each: bool(each[0]["replayed"]), default=None)
    if best is None:
        return _Outcome("", "not found", len(found), report["events"], seconds)
    checked = best[0]["witness"]["checked"]
    proof = "confirmed" if best[0]["replayed"] and checked else "not confirmed" if checked else "no witness"
    return _Outcome(best[1], proof, len(found) - 1, report["events"], seconds)


def _run(interpreter: Path, folder: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    return subprocess.run(
        [str(interpreter), "-m", "mazurka", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=_LIMIT,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
