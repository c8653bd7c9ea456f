"""Violations of properties in released libraries, predicted from one execution that passes, or found by a check of a
program that passes; and the time that a long trace takes.

    make bench ARGS=properties                        all (two minutes); needs PyPI once
    make bench ARGS="properties --only 'kombu*'"      some

A program is a file of ``benchmarks/programs/property_violations``. Its head names the ``package`` that it uses, the
modules that are included, the ``property`` (with the file that states it if it is none of the ready ones), the file of
the library that the violation is ``in``, and the failure that comes of it (``fails with``; none if nothing fails). It
is recorded as it is, with real threads; the recording has to pass. Then ``mazurka predict --confirm`` has to report the
violation in that file, its witness checked, and confirmed by a replay; and ``mazurka check``, without the property, has
to find the failure. All violations of the groups that are recorded are counted.

If the program is ``found by: check``, it has to pass with real threads, and ``mazurka check --all-failures`` with the
property has to report the violation; without it, the failure. A ``release`` is that of another version than the
environment's, which is installed alone.

The long trace is drawn: threads that look at keys of a dictionary, read and write, and then act on the keys. It has
20,000 events, of which 1,300 are those of the property check-then-act. Demanded is an answer in 2 s of CPU on one core.
"""

from __future__ import annotations

import fnmatch
import json
import os
import platform
import random
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.library_environment import python, version_of
from benchmarks.row import ROOT, SRC, Row, Settings, middle
from mazurka.predict.kinds.registry import add_property
from mazurka.program.protocol import Step
from mazurka.properties.parsing import parsed
from mazurka.properties.property import Property
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber, ThreadIndex
from mazurka.trace.property_events import target_of
from mazurka.trace.targets import Target
from mazurka.trace.trace import Trace, trace_of
from mazurka.workflows.predicting import Numbered, Request, predict

_PROGRAMS: Final = ROOT / "benchmarks" / "programs" / "property_violations"
_HEAD: Final = ("package", "include", "property", "in")
_MORE: Final = ("fails with", "found by", "release")
_RECORDED: Final = ("unsafe-iteration", "check-then-act")
#: How the names of their properties begin.
_GROUPS: Final = (*_RECORDED, "unsafe-view-iteration")
_LIMIT: Final = 300.0

#: Demanded of the long trace: seconds of CPU, events, property events.
_SECONDS: Final = 2.0
_EVENTS: Final = 20_000
_POINTS: Final = 1_300


@dataclass(frozen=True, slots=True)
class _Program:
    file: Path
    head: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How far the violation is proven, how many violations of the properties are predicted and how many of them
    confirmed, of how many events, the failure that a check finds, and the seconds of recording and prediction."""

    proof: str
    predicted: int = 0
    confirmed: int = 0
    events: int = 0
    failure: str = ""
    seconds: float = 0.0


def measure(settings: Settings) -> Iterator[Row]:
    interpreter = python()
    for program in _programs(settings.only):
        by_check = program.head.get("found by") == "check"
        outcome = (_checked if by_check else _outcome)(interpreter, program)
        fails = program.head.get("fails with", "") in outcome.failure
        counts = f"{outcome.predicted} predicted, {outcome.confirmed} confirmed; "
        yield Row(
            program.file.stem,
            "found" if by_check else "confirmed",
            outcome.proof,
            f"{outcome.seconds:.1f} s" + ("" if by_check else f", {outcome.events:,} events"),
            f"{_release(program)}, {_name(program)}: {'' if by_check else counts}"
            f"check: {outcome.failure or 'no failure'}",
            outcome.proof == ("found" if by_check else "confirmed") and fails,
        )
    if settings.only == "*":
        yield _long_trace(settings.repetitions)


def _programs(only: str) -> list[_Program]:
    files = (file for file in sorted(_PROGRAMS.glob("*.py")) if fnmatch.fnmatch(file.stem, only))
    return [_Program(file, _head(file)) for file in files]


def _head(file: Path) -> dict[str, str]:
    names = "|".join((*_HEAD, *_MORE))
    head = dict(re.findall(rf"^# ({names}): (.+)$", file.read_text(), re.MULTILINE))
    if missing := [name for name in _HEAD if name not in head]:
        raise SystemExit(f"{file}: its head needs {', '.join(missing)}")
    return head


def _name(program: _Program) -> str:
    """The name of the property."""
    return program.head["property"].rpartition(":")[2]


def _release(program: _Program) -> str:
    """The library's name and version."""
    package = program.head["package"]
    if package == "CPython":
        return f"CPython {platform.python_version()}"
    version = program.head["release"].partition("==")[2] if "release" in program.head else version_of(package)
    return f"{package} {version}"


def _copied(program: _Program, folder: str) -> None:
    """The program, and the files of properties beside it."""
    for each in (program.file, *program.file.parent.glob("*.mzp")):
        shutil.copy(each, folder)


def _installed(interpreter: Path, program: _Program) -> str:
    """The folder of a release of its own; "" if the program has none."""
    release = program.head.get("release", "")
    if not release:
        return ""
    folder = ROOT / ".cache" / "releases" / release.replace("==", "-")
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=ROOT, prefix=".release-") as made:
            command = [str(interpreter), "-m", "pip", "install", "--quiet", "--no-deps", "--target", made, release]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
            folder.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(made, folder)
    return str(folder)


def _checked(interpreter: Path, program: _Program) -> _Outcome:
    """The violation that a check finds in a program that passes."""
    with tempfile.TemporaryDirectory(prefix="property-") as folder:
        _copied(program, folder)
        packages = _installed(interpreter, program)
        begun = time.monotonic()
        passed = _run(interpreter, folder, packages=packages, program=program.file.name)
        if passed.returncode:
            return _Outcome("no passing execution")
        wanted = ("--property", program.head["property"], "--all-failures")
        violations = _failures(interpreter, folder, program, packages, *wanted)
        seconds = time.monotonic() - begun
        failures = _failures(interpreter, folder, program, packages)
    found = any(each["kind"] == _name(program) and program.head["in"] in json.dumps(each) for each in violations)
    failure = f"{failures[0]['kind']}: {failures[0]['message']}" if failures else ""
    return _Outcome("found" if found else "not found", failure=failure, seconds=seconds)


def _failures(interpreter: Path, folder: str, program: _Program, packages: str, *options: str) -> list[dict[str, Any]]:
    """The failures that a check finds."""
    include = [part for each in program.head["include"].split(", ") for part in ("--include", each)]
    common = ["--format", "json", "--no-progress", "--no-save", "--time-limit", "60"]
    report = _run(interpreter, folder, "check", program.file.name, *include, *options, *common, packages=packages)
    found: list[dict[str, Any]] = json.loads(report.stdout)["failures"]
    return found


def _outcome(interpreter: Path, program: _Program) -> _Outcome:
    with tempfile.TemporaryDirectory(prefix="property-") as folder:
        _copied(program, folder)
        begun = time.monotonic()
        include = [part for each in program.head["include"].split(", ") for part in ("--include", each)]
        own = program.head["property"]
        stated = _RECORDED if own.startswith(_GROUPS) else (*_RECORDED, own)
        properties = [part for each in stated for part in ("--property", each)]
        recorded = _run(interpreter, folder, "record", program.file.name, *include, *properties)
        if recorded.returncode:
            return _Outcome("no passing recording")
        options = ["--confirm", "--format", "json", "--no-progress"]
        report = json.loads(_run(interpreter, folder, "predict", f"{program.file.stem}.recording", *options).stdout)
        seconds = time.monotonic() - begun
        include += ["--format", "json", "--no-progress", "--no-save", "--time-limit", "60"]
        checked = json.loads(_run(interpreter, folder, "check", program.file.name, *include).stdout)
        return _judged(program, report, seconds, checked["failures"])


def _judged(program: _Program, report: dict[str, Any], seconds: float, failures: list[dict[str, Any]]) -> _Outcome:
    violations = [each for each in report["findings"] if each["kind"].startswith((*_GROUPS, _name(program)))]
    wanted = [each for each in violations if each["kind"] == _name(program) and _is_in(each, program)]
    confirmed = sum(bool(each["replayed"]) for each in violations)
    best = max(wanted, key=lambda each: bool(each["replayed"]), default=None)
    checked = best is not None and best["witness"]["checked"]
    replayed = best is not None and best["replayed"]
    proof = (
        "confirmed" if replayed and checked else "not confirmed" if checked else "no witness" if best else "not found"
    )
    failure = failures[0]["message"] if failures else ""
    return _Outcome(proof, len(violations), confirmed, report["events"], failure, seconds)


def _is_in(finding: dict[str, Any], program: _Program) -> bool:
    return any(each["file"].endswith(f"site-packages/{program.head['in']}") for each in finding["locations"])


def _run(
    interpreter: Path, folder: str, *arguments: str, packages: str = "", program: str = ""
) -> subprocess.CompletedProcess[str]:
    """A command of Mazurka, or a program alone, with the packages of a folder before those of the environment."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (packages, str(SRC))))}
    return subprocess.run(
        [str(interpreter), *((program,) if program else ("-m", "mazurka", *arguments))],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=_LIMIT,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


_CHECK_THEN_ACT: Final = """
property drawn-check-then-act(c, key):
    "{t1} acts on {key} in {c}, changed by {t2}."
    event check(c, key): returning call dict.__contains__(c, key)
    event act(c, key): delete dict(c)[key]
    pattern: check(t1) act(t2)+ act(t1)
"""


def _long_trace(repetitions: int) -> Row:
    (property_,) = parsed(_CHECK_THEN_ACT, "drawn.mzp")
    add_property(property_)
    trace = _drawn(property_, random.Random(1))
    _seconds(trace, property_)  # compiles
    runs = [_seconds(trace, property_) for _ in range(repetitions)]
    median, spread = middle([seconds for seconds, _ in runs], " s")
    ratio = _SECONDS / sorted(seconds for seconds, _ in runs)[len(runs) // 2]
    note = f"{len(trace):,} events, {_POINTS:,} of the property; {runs[0][1]}; {ratio:.1f} times as fast as demanded"
    return Row("a long trace, CPU", f"< {_SECONDS:.0f} s", median, spread, note, max(s for s, _ in runs) < _SECONDS)


def _seconds(trace: Trace, property_: Property) -> tuple[float, str]:
    """The seconds of CPU that a prediction takes, and its answer in words."""
    begun = time.process_time()
    report = predict(Numbered(trace), Request("drawn", "auto", (property_.name,)))
    seconds = time.process_time() - begun
    return seconds, f"{len(report.findings)} findings, {sum(stage.refuted for stage in report.stages)} refuted"


def _drawn(property_: Property, rng: random.Random, threads: int = 3, keys: int = 60) -> Trace:
    """Pieces of work, four of five under a lock: look at a key, read and write, act on the key."""
    workers = range(1, threads + 1)
    log = [_step(0, Op.FORK, ("thread", str(each)), 0) for each in workers]
    log += [_step(each, Op.BEGIN, ("thread", str(each)), 0) for each in workers]
    points = 0
    while len(log) < _EVENTS or points < _POINTS:
        thread, key, locked = rng.choice(workers), rng.randrange(keys), rng.random() < 0.8
        if locked:
            log.append(_step(thread, Op.ACQUIRE, ("lock", "L"), 1))
        looks = points < _POINTS
        if looks:
            log.append(_step(thread, Op.READ, ("var", f"d[{key}]"), 2))
            log.append(_step(thread, Op.POINT, target_of(property_.name, "check", ("d", str(key)), True), 2))
        for _ in range(rng.randrange(18)):
            place = f"v{thread if rng.random() < 0.97 else 9}.{rng.randrange(100)}"
            op = rng.choice((Op.READ, Op.READ, Op.WRITE))
            log.append(_step(thread, op, ("var", place), 3 + rng.randrange(40)))
        if looks:
            line = 50 if locked else 51
            log.append(_step(thread, Op.RMW, ("var", f"d[{key}]"), line))
            log.append(_step(thread, Op.POINT, target_of(property_.name, "act", ("d", str(key)), True), line))
            points += 2
        if locked:
            log.append(_step(thread, Op.RELEASE, ("lock", "L"), 4))
    return assemble(parts_of(trace_of([str(each) for each in range(threads + 1)], log)))


def _step(thread: int, op: Op, target: Target, line: int) -> Step:
    return Step(ThreadIndex(thread), op, target, SiteNumber(line), True)
