"""Whether `verified` is ever a false verdict: on programs written to refute it, compared with real preemptive threads.

    make bench ARGS="hostile"                                           ours, and 3,000 drawn programs
    MAZURKA_PROGRAMS=FOLDER make bench ARGS="hostile --programs 0"      those of a folder with `bugs/` and `correct/`
    MAZURKA_KITS=library make bench ARGS="hostile --programs 300 --jobs 2"

Programs of a folder: each in `bugs/` fails in some order of real threads, so `verified` is a false verdict,
`inconclusive` a correct one and `violation` the wanted one; none in `correct/` fails. Those in `unseen/`, if there is
such a folder, fail by ways that are not modelled, so that only `inconclusive` is wanted. A first line ``# include:
NAME`` names a package to explore.

Drawn programs (:mod:`benchmarks.native_programs`) come in two forms. The *locked* one never fails: `violation` is a
false alarm. Where the *racy* one is called `verified`, it is run under real threads with delays
(:mod:`tests.oracle.preemptive`) many times: any failure makes the verdict false. False verdicts are listed by the
numbers of their programs, and kept as files in the folder of the environment variable MAZURKA_KEEP, if there is one.
"""

from __future__ import annotations

import collections
import itertools
import multiprocessing
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tests.oracle.preemptive import hunt

from benchmarks.kits import FOREIGN_MODULE
from benchmarks.native_programs import FOREIGN_NAME, Drawn, drawn, imported
from benchmarks.row import ROOT, Row, Settings
from benchmarks.verdicts import CRASH, INCONCLUSIVE, VERIFIED, VIOLATION, Said, get_ready, said_by_each, said_of

#: The folder whose programs are checked, and where programs with a false verdict are kept.
PROGRAMS: Final = "MAZURKA_PROGRAMS"
KEEP: Final = "MAZURKA_KEEP"
SAMPLES: Final = ROOT / "tests" / "hostile"

_SHARE: Final = 20
_TRIALS: Final = 40
_HUNT_SECONDS: Final = 2.0
_TOLD: Final = 20

#: Demanded of programs of a folder: the shares of bugs found, and of correct ones verified.
_FOUND: Final = 0.95
_VERIFIED: Final = 0.98


@dataclass(slots=True)
class Tally:
    """The results of some drawn programs: verdicts by form, and those that are wrong."""

    programs: int = 0
    left_out: int = 0
    said: collections.Counter[tuple[str, str]] = field(default_factory=collections.Counter)
    false_verified: list[str] = field(default_factory=list)
    false_violation: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    reasons: collections.Counter[str] = field(default_factory=collections.Counter)

    def add(self, other: Tally) -> None:
        self.programs += other.programs
        self.left_out += other.left_out
        self.said += other.said
        self.reasons += other.reasons
        self.false_verified += other.false_verified
        self.false_violation += other.false_violation
        self.crashes += other.crashes


def measure(settings: Settings) -> Iterator[Row]:
    folder = Path(os.environ.get(PROGRAMS) or SAMPLES)
    with ProcessPoolExecutor(settings.jobs, multiprocessing.get_context("spawn"), get_ready, (imported(),)) as pool:
        yield from _folder_rows(pool, folder)
        if settings.programs:
            yield from _drawn_rows(_drawn_all(pool, settings))


def check_file(path: str, strategies: tuple[str, ...]) -> dict[str, Said]:
    """The verdicts of strategies on a program of a folder."""
    with open(path, encoding="utf-8") as stream:
        first = stream.readline()
    include = re.match(r"# include: (.+)", first)
    settings = {"include": tuple(include[1].split())} if include else {}
    return said_by_each(path, strategies, 20.0, **settings)


#: The folders of samples.
_KINDS: Final = ("bugs", "correct", "unseen")


def check_folder(
    pool: ProcessPoolExecutor,
    folder: Path,
    strategies: tuple[str, ...] = ("auto",),
    every: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, dict[str, dict[str, Said]]]:
    """Strategy -> kind of program (`bugs`, `correct`, `unseen`) -> its name -> the verdict; for strategies in ``every``
    of each n-th program only."""
    files = [
        (kind, path, tuple(strategy for strategy in strategies if number % every.get(strategy, 1) == 0))
        for kind in _KINDS
        for number, path in enumerate(sorted((folder / kind).glob("*.py")))
    ]
    by_strategy: dict[str, dict[str, dict[str, Said]]] = {
        strategy: {kind: {} for kind in _KINDS} for strategy in strategies
    }
    all_said = pool.map(check_file, [str(path) for _, path, _ in files], [each for _, _, each in files], chunksize=4)
    for (kind, path, _), said in zip(files, all_said, strict=True):
        for strategy, verdict in said.items():
            by_strategy[strategy][kind][path.stem] = verdict
    return by_strategy


def _folder_rows(pool: ProcessPoolExecutor, folder: Path) -> Iterator[Row]:
    by_strategy = check_folder(pool, folder, ("auto", "se-mcr"))
    said, second = by_strategy["auto"], by_strategy["se-mcr"]
    bugs, correct = said["bugs"], said["correct"]
    called = {
        (kind, verdict): [name for name, each in said[kind].items() if each.verdict == verdict]
        for kind in said
        for verdict in (VIOLATION, VERIFIED, INCONCLUSIVE, CRASH)
    }
    false, found = called["bugs", VERIFIED] + called["unseen", VERIFIED], len(called["bugs", VIOLATION])
    alarms, proved = called["correct", VIOLATION], len(called["correct", VERIFIED])
    crashes = [name for kind in said for name in called[kind, CRASH]]
    failing = len(bugs) + len(said["unseen"])
    yield Row("failing programs called verified", "0", str(len(false)), f"of {failing}", " ".join(false), not false)
    false = [name for kind in ("bugs", "unseen") for name, each in second[kind].items() if each.verdict == VERIFIED]
    yield Row("the same by `se-mcr` alone", "0", str(len(false)), f"of {failing}", " ".join(false), not false)
    missing = _few(called["bugs", INCONCLUSIVE])
    yield _part("failing programs found", _FOUND, found, len(bugs), missing)
    yield Row(
        "correct programs called violation", "0", str(len(alarms)), f"of {len(correct)}", _few(alarms), not alarms
    )
    yield _part("correct programs verified", _VERIFIED, proved, len(correct), _few(called["correct", INCONCLUSIVE]))
    yield Row("programs on which the checker fails", "0", str(len(crashes)), "", _few(crashes), not crashes)


def _part(figure: str, demanded: float, count: int, total: int, note: str = "") -> Row:
    share = count / total if total else 1.0
    return Row(figure, f">= {demanded:.0%}", f"{share:.1%}", f"{count:,} of {total:,}", note, share >= demanded)


def _few(names: list[str]) -> str:
    return " ".join(names[:_TOLD]) + (" ..." if len(names) > _TOLD else "")


def _drawn_rows(tally: Tally) -> Iterator[Row]:
    racy, locked = ({verdict: tally.said[form, verdict] for verdict in (VIOLATION, VERIFIED, INCONCLUSIVE)}
                    for form in ("racy", "locked"))  # fmt: skip
    total = f"of {tally.programs:,}"
    false, alarms = tally.false_verified, tally.false_violation
    yield Row("drawn: racy, verified, fail on real threads", "0", str(len(false)), total, _few(false), not false)
    yield Row("drawn: locked, called violation", "0", str(len(alarms)), total, _few(alarms), not alarms)
    yield Row("drawn: the checker fails", "0", str(len(tally.crashes)), total, _few(tally.crashes), not tally.crashes)
    for form, said in (("locked", locked), ("racy", racy)):
        note = ", ".join(f"{count:,} {verdict}" for verdict, count in said.items())
        share = said[VERIFIED] / tally.programs if tally.programs else 0.0
        yield Row(f"drawn: {form}, verified", "", f"{share:.1%}", total, note)
    for reason, count in tally.reasons.most_common(8):
        yield Row("drawn: locked, inconclusive", "", f"{count:,}", "", reason)


def _drawn_all(pool: ProcessPoolExecutor, settings: Settings) -> Tally:
    total = Tally()
    firsts = itertools.count(0, _SHARE)
    waiting: set[Future[Tally]] = set()
    while waiting or total.programs < settings.programs:
        while len(waiting) < settings.jobs and total.programs < settings.programs:
            waiting.add(pool.submit(share, next(firsts)))
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for each in done:
            total.add(each.result())
    return total


def share(first: int, count: int = _SHARE, trials: int = _TRIALS) -> Tally:
    """Check the programs from a number on, in a process that is ready (:func:`get_ready`)."""
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="drawn-") as folder:
        (Path(folder) / "foreign").mkdir()
        (Path(folder) / "foreign" / f"{FOREIGN_NAME}.py").write_text(FOREIGN_MODULE)
        project = Path(folder) / "project"
        project.mkdir()
        for number in range(first, first + count):
            program = drawn(number)
            if program is None:
                tally.left_out += 1
                continue
            _hold(tally, program, project, trials)
    return tally


def _hold(tally: Tally, program: Drawn, project: Path, trials: int) -> None:
    tally.programs += 1
    name = f"{program.number} ({', '.join(program.kits)})"
    for form, text in (("racy", program.racy), ("locked", program.locked)):
        file = project / f"{form}_{program.number}.py"
        file.write_text(text)
        said = said_of(file)
        tally.said[form, said.verdict] += 1
        wrong = ""
        if said.verdict == CRASH:
            tally.crashes.append(f"{name}: {said.reasons[0]}")
            wrong = "crash"
        elif form == "locked" and said.verdict == VIOLATION:
            tally.false_violation.append(name)
            wrong = "false violation"
        elif form == "locked" and said.verdict == INCONCLUSIVE:
            tally.reasons.update(re.sub(r"\d+", "N", each) for each in said.reasons)
            wrong = "inconclusive"
        elif form == "racy" and said.verdict == VERIFIED:
            failed = hunt(file, trials, until=_HUNT_SECONDS)
            if failed is not None:
                tally.false_verified.append(name)
                wrong = f"false verified (seed {failed.seed}: {failed.failure})"
        if wrong:
            _keep(file.name, text, f"{wrong}: {'; '.join(said.reasons)}")


def _keep(name: str, text: str, why: str) -> None:
    if folder := os.environ.get(KEEP):
        kind = why.partition(" (")[0].partition(":")[0].replace(" ", "-")
        place = Path(folder, kind)
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(f"{text}\n" + "".join(f"# {line}\n" for line in why.splitlines()))
