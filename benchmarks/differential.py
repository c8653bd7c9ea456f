"""On random programs in Python and C all complete strategies reach the outcomes of ``dfs``, which reaches those of
real threads, and the data races are those of vector clocks.

    make bench ARGS="differential --programs 3000 --jobs 2"           3,000 in each language
    make bench ARGS="differential --programs 300 --only c --save DIR"
    python -m benchmarks differential --programs 300 --strategy dpor --strategy mcr

The programs are those of tests/oracle/python_programs.py and c_programs.py, with numbers from 0 on (or from
``DIFFERENTIAL_FIRST``). There is a row for each language and comparison:

- Each strategy is held to ``dfs``: the verdict, the outcomes of all executions (results of ``scenario()``, or outputs)
  and the failures. Those of sliced reads need only reach the failures. A strategy that doesn't decide what ``dfs``
  decides is *needlessly inconclusive*, which is counted; it must not reach more outcomes all the same.
- ``dfs`` is held to real threads: preemptive ones of CPython (benchmarks/real_threads.py), or those of the program as
  gcc compiles it (native_runs.py). Each of their outcomes must be one of its. In an execution, a thread that ends the
  process stands there until no other one can go on: where threads call ``exit()`` or ``_exit()`` an output may be the
  beginning of one of its. Failures, statuses and assertions of exit functions must be reached all the same.
- ``--races`` is held to vector clocks (tests/oracle/happens_before.py) of all executions of ``dfs``.

An error of the checker itself (a witness that is rejected, an exception) is a difference, and also counted by itself.
Left out, and counted, are programs that take ``dfs`` more than 200 executions (400, if all threads are joined), and
those that it does not decide. A
program with a difference is shrunk and printed, and kept as a file in the folder of ``--save``, with the comparisons in
its first lines.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import itertools
import multiprocessing
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

from tests.oracle.c_programs import CProgram, drawn_in_c
from tests.oracle.happens_before import races
from tests.oracle.python_programs import THEMES, Program, drawn
from tests.oracle.shapes import FINAL

from benchmarks import real_threads
from benchmarks.looking import Look
from benchmarks.native_runs import native_outcomes
from benchmarks.row import Row, Settings
from mazurka.api import explore
from mazurka.config import Options, from_arguments, resolve
from mazurka.explore.outcome import MORE_FAILURES
from mazurka.explore.registry import STRATEGIES, make_strategy
from mazurka.program.protocol import Failure, FailureKind, Plan, Run, learned_points
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber
from mazurka.workflows.checking import check
from mazurka.workflows.program_spec import open_program, subject_of

#: Executions of ``dfs`` of programs with a shape, and of the others; of the other strategies: none should need more,
#: but ``se-mcr`` may.
_EXECUTIONS: Final = 200
_EXECUTIONS_JOINED: Final = 400
_OTHERWISE: Final = 800
_SECONDS: Final = 60
_TRIALS: Final = {"python": 6, "c": 12}
_SHARE: Final = 10
#: Smaller programs that are tried while one with a difference is shrunk: each costs as much as the program itself.
_ATTEMPTS: Final = 80

#: Further variants of strategies, with their settings.
_NO_CUTOFFS: Final = "unfolding, no cutoffs"
_VARIANTS: Final[dict[str, dict[str, object]]] = {_NO_CUTOFFS: {"strategy": "unfolding", "cutoffs": False}}

#: Strategies that reach all failures, but not all outcomes: they leave out orders in which only unused values differ.
_SLICED: Final = ("mcr-s", "mcr-s+")
#: Strategies whose searches find all data races.
_RACES: Final = ("mcr", "dpor")

_LOCKED: Final = frozenset({"deadlock", "blocked", "livelock"})

#: A call that ends the process at once, in both languages.
_ENDS_PROCESS: Final = re.compile(r"(?<!sys\.)\b_?exit\(")

#: The real one, which no program that is checked replaces: a write in a run would be undone.
_write: Final = (os.write,)

#: The comparisons beside those of strategies.
REAL: Final = "real threads"
DFS: Final = "dfs"

AnyProgram = Program | CProgram
OneProgram = TypeVar("OneProgram", Program, CProgram)


@dataclass(frozen=True, slots=True)
class Reached:
    """The outcomes that one strategy has reached."""

    returned: frozenset[str]
    failures: frozenset[tuple[str, ...]]
    complete: bool
    wrong: str  # the fault that it reports of itself
    executions: int
    verdict: Verdict = Verdict.INCONCLUSIVE
    reason: str = ""
    races: frozenset[tuple[str, ...]] = frozenset()


@dataclass(slots=True)
class _Seen:
    """What executions show: their outputs, and with ``wants_races`` the races by vector clocks."""

    wants_races: bool
    outputs: set[str] = field(default_factory=set)
    races: set[tuple[int, int]] = field(default_factory=set)

    def add(self, run: Run) -> None:
        if run.divergence is None and not run.truncated and not run.settled:
            self.outputs.add(shown(run.output))
        if self.wants_races and not run.found_new_points:  # otherwise steps may be missing that order others
            self.races |= races(run.log, {number for number in run.ended if run.log[number].op is not Op.SLEEP})


def is_beginning(output: str, known: Iterable[str]) -> bool:
    """Whether an output may be that of a process which a thread has ended before all of a known output was written.

    glibc writes a line twice if ``exit()`` flushes a stream just when another thread does.
    """
    lines = _without_repeats(output)
    return any(_without_repeats(each)[: len(lines)] == lines for each in known)


def _without_repeats(output: str) -> list[str]:
    return [line for line, _ in itertools.groupby(output.splitlines())]


def shown(output: str) -> str:
    """The part of an output that the program itself shows, without tracebacks."""
    return "\n".join(line for line in output.splitlines() if line.startswith(FINAL))


def reached(
    scenario: Callable[[], str],
    strategy: str,
    at_end: Callable[[Any], object] | None = None,
    most: int = _EXECUTIONS_JOINED,
) -> Reached:
    """Explore a function; by ``dfs`` in so many executions at most."""
    with tempfile.TemporaryFile(buffering=0) as returned:  # in a file: each run may be made in a forked child
        descriptor = returned.fileno()

        def keep(text: str) -> None:
            _write[0](descriptor, text.encode("utf-8", "surrogatepass") + b"\0")

        result = explore(scenario, at_end=Look(at_end, keep), **_settings(strategy, most))
        returned.seek(0)
        texts = returned.read().decode("utf-8", "surrogatepass").split("\0")[:-1]
    return _reached_of(result.report, set(texts))


class OpenedProgram:
    """A script, or a C program, that is checked by several strategies, each of which begins without knowledge."""

    def __init__(self, file: Path, most: int = _EXECUTIONS, with_races: bool = False) -> None:
        self._races, self._most = with_races, most
        self._subject = subject_of(str(file), (), self._options(DFS))
        self._program = open_program(self._subject, self._options(DFS))
        self._seen = _Seen(True)
        self._execute = self._program.execute
        vars(self._program)["execute"] = self._observed

    def reached(self, strategy: str) -> Reached:
        """Check it; by ``dfs`` the races are those of vector clocks."""
        self._seen = seen = _Seen(strategy == DFS)
        learned_points(self._program).points.clear()
        report = check(self._program, self._subject, self._options(strategy), simplifies=strategy == "auto")
        found = set()
        for pair in seen.races:
            one, other = (self._program.location(SiteNumber(site)) for site in pair)
            if one is not None and other is not None:
                found.add(Failure(FailureKind.RACE, "", "", one, against=other).identity)
        return _reached_of(report, seen.outputs, found)

    def close(self) -> None:
        """Forget the program."""
        self._program.close()

    def _options(self, strategy: str) -> Options:
        return resolve(
            from_arguments({**_settings(strategy, self._most), "save": False, "races": self._races}, "bench"),
            environ={},
        )

    def _observed(self, plan: Plan) -> Run:
        run = self._execute(plan)
        self._seen.add(run)
        return run


def _settings(strategy: str, most: int) -> dict[str, Any]:
    return {
        "strategy": strategy,
        "all_failures": True,
        "max_executions": most if strategy == DFS else _OTHERWISE,
        "time_limit": _SECONDS,
        "jobs": 1,  # in other processes the outcomes would be in other sets
        **_VARIANTS.get(strategy, {}),
    }


def _reached_of(report: CheckReport, returned: Iterable[str], found: Iterable[tuple[str, ...]] = ()) -> Reached:
    failures = [finding.failure for finding in report.findings if finding.failure is not None]
    decided = report.complete and not report.untracked and not report.uncontrolled
    decided = decided and report.verdict is not Verdict.INCONCLUSIVE  # such a strategy may have come to less
    decided = decided and not any(note.startswith(MORE_FAILURES) for note in report.notes)
    doubts = [report.reason, *report.untracked, *report.uncontrolled]
    doubts += [note for note in report.notes if note.startswith(MORE_FAILURES)]
    return Reached(
        frozenset(returned),
        frozenset(each.identity for each in failures if not each.is_race),
        decided,
        "; ".join(report.inconsistencies),
        report.executions,
        report.verdict,
        "; ".join(dict.fromkeys(each for each in doubts if each)),
        frozenset({*found, *(each.identity for each in failures if each.is_race)}),
    )


# -- comparisons of one program --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Compared:
    """The result of all comparisons of one program: those that were made, how some of them differ, why some do not
    decide what ``dfs`` decides, and which differences are errors of the checker. ``left_out`` says why there were
    none."""

    made: list[str] = field(default_factory=list)
    differ: dict[str, str] = field(default_factory=dict)
    undecided: dict[str, str] = field(default_factory=dict)
    errors: set[str] = field(default_factory=set)
    left_out: str = ""

    def hold(self, name: str, make: Callable[[], tuple[str, str, bool]]) -> None:
        """Make a comparison: how it differs, why it is undecided, and whether that is an error."""
        self.made.append(name)
        try:
            differs, undecided, is_error = make()
        except Exception as raised:
            differs, undecided, is_error = f"{type(raised).__name__}: {raised}", "", True
        if differs:
            self.differ[name] = differs
        elif undecided:
            self.undecided[name] = undecided
        if is_error:
            self.errors.add(name)


def compared(program: AnyProgram, strategies: tuple[str, ...], folder: Path) -> Compared:
    """Hold a program to ``dfs``, by strategies; and ``dfs``, and ``--races``, to other oracles, if ``strategies`` names
    them (:data:`REAL`, or those of :data:`RACES_BY`)."""
    found = Compared()
    with ExitStack() as stack:
        try:
            reach = _reacher(program, folder, stack)
            known = reach(DFS)
        except Exception as raised:
            found.hold(DFS, partial(_error, f"{type(raised).__name__}: {raised}"))
            return found
        if known.wrong:
            found.hold(DFS, partial(_error, known.wrong))
        elif not known.complete:
            found.left_out = "large" if known.executions >= _most(program) else known.reason
        else:
            _compare(found, program, strategies, reach, known, folder)
    return found


def _most(program: AnyProgram) -> int:
    """The executions that ``dfs`` may take."""
    return _EXECUTIONS if program.shape is not None else _EXECUTIONS_JOINED


def _error(text: str) -> tuple[str, str, bool]:
    return text, "", True


def _compare(
    found: Compared,
    program: AnyProgram,
    strategies: tuple[str, ...],
    reach: Callable[[str], Reached],
    known: Reached,
    folder: Path,
) -> None:
    is_file = isinstance(program, CProgram) or program.is_script
    for name in strategies:
        if name == REAL:
            found.hold(name, lambda: (_missed(program, known, folder), "", False))
        elif name not in RACES_BY:
            found.hold(name, partial(_held, reach, name, known))
    wanted = [name for name in strategies if name in RACES_BY]
    if is_file and wanted:
        opened = OpenedProgram(written(program, folder), _most(program), with_races=True)
        with closing(opened):
            for name in wanted:
                found.hold(name, partial(_race_difference, opened, known, RACES_BY[name]))


def _reacher(program: AnyProgram, folder: Path, stack: ExitStack) -> Callable[[str], Reached]:
    """Explores a program by a strategy."""
    if isinstance(program, Program) and not program.is_script:
        module = loaded_module(program.source(), folder)
        at_end = getattr(module, "at_end", None)
        return lambda strategy: reached(module.scenario, strategy, at_end, _most(program))
    opened = stack.enter_context(closing(OpenedProgram(written(program, folder), _most(program))))
    return opened.reached


def _held(reach: Callable[[str], Reached], name: str, known: Reached) -> tuple[str, str, bool]:
    other = reach(name)
    if other.wrong:
        return other.wrong, "", True
    differs = difference(other, known, only_failures=name in _SLICED)
    return differs, "" if other.complete else other.reason or "not complete", False


def difference(found: Reached, known: Reached, only_failures: bool = False) -> str:
    """How the outcomes of a strategy differ."""
    if found.wrong:
        return found.wrong
    parts = []
    if found.complete and found.verdict is not known.verdict:
        parts.append(f"{found.verdict.value}, not {known.verdict.value}")
    for kind, more, fewer in (
        ("outcomes", found.returned - known.returned, known.returned - found.returned),
        ("failures", found.failures - known.failures, known.failures - found.failures),
    ):
        if more:
            parts.append(f"{len(more)} {kind} more, like {min(more)}")
        if fewer and found.complete and not (only_failures and kind == "outcomes"):
            parts.append(f"{len(fewer)} {kind} fewer, like {min(fewer)}")
    return "; ".join(parts)


#: Comparisons of data races, by the strategy that looks for them.
RACES_BY: Final = {f"races by {name}": name for name in _RACES}


def _race_difference(opened: OpenedProgram, known: Reached, strategy: str) -> tuple[str, str, bool]:
    other = opened.reached(strategy)
    if other.wrong:
        return other.wrong, "", True
    more, fewer = other.races - known.races, known.races - other.races
    parts = [f"{len(more)} races more, like {min(more)}"] if more else []
    if fewer and other.complete:
        parts.append(f"{len(fewer)} races fewer, like {min(fewer)}")
    return "; ".join(parts), "" if other.complete else other.reason, False


def _missed(program: AnyProgram, known: Reached, folder: Path) -> str:
    """The outcomes of real threads that ``dfs`` has not reached."""
    failures = {(identity[1], identity[-1].rpartition(":")[2]) for identity in known.failures}
    kinds = {identity[0] for identity in known.failures}
    parts: list[str] = []
    if isinstance(program, CProgram):
        native = native_outcomes(written(program, folder), _TRIALS["c"])
        hangs, statuses = native.hangs and "later" not in program.source(), native.statuses
        missed = set(map(shown, native.returned)) - known.returned
        parts += [f"assertion of line {line}" for line in native.failed if str(line) not in {x for _, x in failures}]
    else:
        text = program.script() if program.is_script else program.source()
        real = real_threads.outcomes(text, _TRIALS["python"], is_script=program.is_script)
        hangs, statuses = real_threads.HANGS in real.returned, real.statuses
        if program.shape is not None and program.shape.at_end:
            missed = set()  # the function for the end is not called
        else:
            as_known = shown if program.is_script else repr
            missed = {as_known(each) for each in real.returned - {real_threads.HANGS}} - known.returned
        elsewhere = {identity[1] for identity in known.failures if "program" not in identity[-1]}  # in the library
        for name, line in real.failed:
            if (name, str(line)) not in failures and name not in elsewhere:
                parts.append(f"{name} in line {line}")
    if _ENDS_PROCESS.search(program.source()):
        missed = {each for each in missed if not is_beginning(each, known.returned)}
    parts += [f"outcome {each!r}" for each in sorted(missed)]
    parts += [f"status {each}" for each in statuses if FailureKind.EXIT.value not in kinds]
    parts += ["hangs"] * (hangs and not _LOCKED & kinds)
    return f"missed: {'; '.join(parts)}" if parts else ""


# -- programs as files ------------------------------------------------------------------------------------------------


def written(program: AnyProgram, folder: Path) -> Path:
    """The file of a program."""
    text = program.source() if isinstance(program, CProgram) else program.script()
    file = folder / f"program.{'c' if isinstance(program, CProgram) else 'py'}"
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    return file


def loaded(program: Program, folder: Path) -> Callable[[], str]:
    """The program's function, in a module of its own."""
    scenario: Callable[[], str] = loaded_module(program.source(), folder).scenario
    return scenario


def loaded_module(source: str, folder: Path) -> ModuleType:
    """The module of a program's text."""
    name = f"program_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    for other in [each for each in sys.modules if each.startswith("program_")]:
        del sys.modules[other]
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_numbers: Final = itertools.count()


def shrunk(program: OneProgram, differs: Callable[[OneProgram], bool]) -> OneProgram:
    """A program with nothing left that could be left out, or as small as :data:`_ATTEMPTS` programs make it."""
    left = _ATTEMPTS
    smaller = iter(program.smaller())
    while left and (each := next(smaller, None)) is not None:
        left -= 1
        if differs(each):
            program, smaller = each, iter(each.smaller())
    return program


# -- many programs ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """The results of one comparison."""

    programs: int = 0
    differ: int = 0
    undecided: int = 0
    errors: int = 0

    def add(self, other: Tally) -> None:
        self.programs += other.programs
        self.differ += other.differ
        self.undecided += other.undecided
        self.errors += other.errors


@dataclass(slots=True)
class Share:
    """The results of some programs: by comparison; why programs were left out; and the texts of differences."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    texts: list[tuple[str, str]] = field(default_factory=list)  # a file's name, and its text

    def add(self, other: Share) -> None:
        for name, tally in other.tallies.items():
            self.tallies.setdefault(name, Tally()).add(tally)
        self.left_out += other.left_out
        self.reasons += other.reasons
        self.texts += other.texts

    def take(self, found: Compared) -> None:
        for name in found.made:
            tally = self.tallies.setdefault(name, Tally())
            tally.programs += 1
            tally.differ += name in found.differ
            tally.undecided += name in found.undecided
            tally.errors += name in found.errors
        for name, reason in found.undecided.items():
            self.reasons[name, reason] += 1
        if found.left_out:
            self.left_out[found.left_out] += 1


_DRAWN: Final[dict[str, Callable[[int], AnyProgram]]] = {"python": drawn, "c": drawn_in_c}


def measure(settings: Settings) -> Iterator[Row]:
    every = tuple(name for name in STRATEGIES if name != DFS and make_strategy(name).exhaustive)
    chosen = settings.strategies if settings.strategies != ("all",) else ()
    names = chosen or (*every, *_VARIANTS, REAL, *RACES_BY)
    for language in fnmatch.filter(_DRAWN, settings.only):
        yield from _rows(language, all_shares(language, names, settings))


def _rows(language: str, total: Share) -> Iterator[Row]:
    for reason, count in total.left_out.most_common():
        print(f"{language}: left out {count}: {reason}")
    for (name, reason), count in total.reasons.most_common():
        print(f"{language}: needlessly inconclusive {count}: {name}: {reason}")
    for name, tally in total.tallies.items():
        notes = [f"of {tally.programs:,} programs"]
        notes += [f"{tally.errors:,} errors of the checker"] if tally.errors else []
        notes += [f"{tally.undecided:,} needlessly inconclusive"] if tally.undecided else []
        yield Row(f"{language}: {_figure(name)}", "0", str(tally.differ), note=", ".join(notes), holds=not tally.differ)
    yield Row(f"{language}: left out", "", f"{total.left_out.total():,}", note="large, or not decided by dfs")


def _figure(name: str) -> str:
    if name == DFS:
        return "dfs by itself"
    return f"dfs as {REAL}" if name == REAL else f"{name} as vector clocks" if name in RACES_BY else f"{name} as dfs"


def all_shares(language: str, names: tuple[str, ...], settings: Settings) -> Share:
    """Hold programs to something, in several processes."""
    total = Share()
    firsts = iter(range(int(os.environ.get("DIFFERENTIAL_FIRST", "0")), sys.maxsize, _SHARE))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(settings.jobs, context, max_tasks_per_child=20) as pool:
        waiting: set[Future[Share]] = set()
        started = 0
        while waiting or started < settings.programs:
            while len(waiting) < settings.jobs and started < settings.programs:
                count = min(_SHARE, settings.programs - started)
                waiting.add(pool.submit(share, language, names, next(firsts), count))
                started += count
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for each in done:
                found = each.result()
                total.add(found)
                for name, text in found.texts:
                    print(f"{name}\n{text}", file=sys.stderr, flush=True)
                    if settings.save:
                        Path(settings.save).mkdir(parents=True, exist_ok=True)
                        Path(settings.save, name).write_text(text)
    return total


def share(language: str, names: tuple[str, ...], first: int, count: int = _SHARE) -> Share:
    """Hold some programs to all comparisons."""
    total = Share()
    sys.dont_write_bytecode = True
    for number in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            program = _DRAWN[language](number)
            held = names
            if isinstance(program, Program) and THEMES["rlock"] in program.themes:
                # One that a thread leaves locked belongs to the next thread with the same identifier: not modelled.
                held = tuple(name for name in names if name != REAL)
            found = compared(program, held, Path(folder))
            total.take(found)
            if found.differ:
                suffix = "c" if language == "c" else "py"
                total.texts.append((f"{language}_{number}.{suffix}", _told(program, found, Path(folder))))
    return total


def _told(program: AnyProgram, found: Compared, folder: Path) -> str:
    """The text of a program with differences, as small as it gets."""
    names = tuple(name for name in found.differ if name != DFS)
    least = shrunk(program, lambda each: found.differ.keys() <= compared(each, names, folder).differ.keys())
    now = compared(least, names, folder).differ or found.differ
    mark = "//" if isinstance(program, CProgram) else "#"
    return "".join(f"{mark} {name}: {' '.join(text.split())}\n" for name, text in now.items()) + least.source()
