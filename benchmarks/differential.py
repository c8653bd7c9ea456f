"""All complete strategies reach the outcomes of ``dfs``, on random Python programs; ``preemptive`` compares it with
threads.

    make bench ARGS="differential --programs 3000 --jobs 2"
    python -m benchmarks differential --programs 300 --strategy all

The programs are those of tests/oracle/python_programs.py, with numbers from 0 on (or from ``DIFFERENTIAL_FIRST``).
Compared with ``dfs`` are the results of ``scenario()`` in all executions and the failures; a strategy that says that it
does not know need only not reach more. Left out, and counted, are programs that take ``dfs`` more than 1,500
executions, and programs that it does not decide itself. A program on which they differ is shrunk and printed.
"""

from __future__ import annotations

import importlib.util
import itertools
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.oracle.python_programs import Program, drawn

from benchmarks.row import Row, Settings
from mazurka.api import explore
from mazurka.explore.outcome import MORE_FAILURES
from mazurka.explore.registry import STRATEGIES, make_strategy
from mazurka.report.check_report import Verdict

_EXECUTIONS: Final = 1_500
_SHARE: Final = 10

#: By default; the others are variants of these.
_QUICK: Final = ("mcr", "se-mcr", "dpor", "dpor-rf", "icb-dpor")


@dataclass(frozen=True, slots=True)
class Reached:
    """The outcomes that one strategy has reached."""

    returned: frozenset[str]
    failures: frozenset[tuple[str, ...]]
    complete: bool
    wrong: str  # the fault that it reports of itself
    executions: int


def reached(scenario: Callable[[], str], strategy: str) -> Reached:
    """Explore a program."""
    returned: set[str] = set()
    result = explore(
        scenario,
        strategy=strategy,
        all_failures=True,
        at_end=lambda result: returned.add(repr(result)),
        max_executions=_EXECUTIONS,
        time_limit=60,
        jobs=1,  # in other processes `returned` would be another set
    )
    report = result.report
    failures = {finding.failure.identity for finding in report.findings if finding.failure is not None}
    decided = report.complete and not report.untracked and not report.uncontrolled
    decided = decided and report.verdict is not Verdict.INCONCLUSIVE  # such a strategy may have come to less
    decided = decided and not any(note.startswith(MORE_FAILURES) for note in report.notes)
    return Reached(
        frozenset(returned), frozenset(failures), decided, "; ".join(report.inconsistencies), report.executions
    )


def differences(program: Program, strategies: tuple[str, ...], folder: Path) -> tuple[bool, dict[str, str]]:
    """Whether ``dfs`` decides the program, and how the results of the others differ."""
    scenario = loaded(program, folder)
    known = reached(scenario, "dfs")
    found = {"dfs": known.wrong} if known.wrong else {}
    if not known.complete:
        return False, found
    for name in strategies:
        try:
            other = reached(scenario, name)
        except Exception as raised:
            found[name] = repr(raised)
            continue
        differs = difference(other, known)
        if differs:
            found[name] = differs
    return True, found


def difference(found: Reached, known: Reached) -> str:
    """How the outcomes of a strategy differ."""
    if found.wrong:
        return found.wrong
    parts = []
    for kind, more, fewer in (
        ("outcomes", found.returned - known.returned, known.returned - found.returned),
        ("failures", found.failures - known.failures, known.failures - found.failures),
    ):
        if more:
            parts.append(f"{len(more)} {kind} more, like {min(more)}")
        if fewer and found.complete:
            parts.append(f"{len(fewer)} {kind} fewer, like {min(fewer)}")
    return "; ".join(parts)


def loaded(program: Program, folder: Path) -> Callable[[], str]:
    """The program's function, in a module of its own."""
    return loaded_text(program.source(), folder)


def loaded_text(source: str, folder: Path) -> Callable[[], str]:
    """The same of a program's text."""
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
    scenario: Callable[[], str] = module.scenario
    return scenario


_numbers: Final = itertools.count()


def shrunk(program: Program, differs: Callable[[Program], bool]) -> Program:
    """A program with nothing left that could be left out."""
    while True:
        smaller = next((each for each in program.smaller() if differs(each)), None)
        if smaller is None:
            return program
        program = smaller


# -- many programs ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Share:
    """The results of some programs."""

    agreed: int = 0
    left_out: int = 0
    differ: list[str] = field(default_factory=list)

    def add(self, other: Share) -> None:
        self.agreed += other.agreed
        self.left_out += other.left_out
        self.differ += other.differ


def measure(settings: Settings) -> Iterator[Row]:
    every = tuple(name for name in STRATEGIES if name != "dfs" and make_strategy(name).exhaustive)
    names = every if settings.strategies == ("all",) else settings.strategies or _QUICK
    yield row_of(f"as dfs: {', '.join(names)}", all_shares(_hold, names, settings))


def _hold(program: Program, names: tuple[str, ...], folder: Path) -> tuple[bool, str]:
    decided, found = differences(program, names, folder)
    if not found:
        return decided, ""
    wrong = tuple(name for name in found if name != "dfs")
    least = shrunk(program, lambda each: found.keys() <= differences(each, wrong, folder)[1].keys())
    _, now = differences(least, wrong, folder)
    return decided, _told(program, least, now or found)


def _told(program: Program, least: Program, found: dict[str, str]) -> str:
    listed = "\n".join(f"  {name}: {text}" for name, text in found.items())
    return f"program {program.number}\n{listed}\n{least.source().partition('def scenario')[2]}"


def row_of(figure: str, total: Share) -> Row:
    """A figure of the table; differences are printed before it."""
    for text in total.differ:
        print(text, flush=True)
    measured = f"{total.agreed:,} of {total.agreed + len(total.differ):,}"
    return Row(figure, "all", measured, note=f"{total.left_out:,} left out", holds=not total.differ)


def all_shares(
    hold: Callable[[Program, tuple[str, ...], Path], tuple[bool, str]], names: tuple[str, ...], settings: Settings
) -> Share:
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
                waiting.add(pool.submit(share, hold, names, next(firsts), count))
                started += count
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for each in done:
                found = each.result()
                total.add(found)
                for text in found.differ:
                    print(text, file=sys.stderr, flush=True)
    return total


def share(
    hold: Callable[[Program, tuple[str, ...], Path], tuple[bool, str]],
    names: tuple[str, ...],
    first: int,
    count: int = _SHARE,
) -> Share:
    """Hold the strategies to each other on some programs."""
    total = Share()
    with tempfile.TemporaryDirectory() as folder:
        sys.dont_write_bytecode = True
        for number in range(first, first + count):
            decided, wrong = hold(drawn(number), names, Path(folder))
            if wrong:
                total.differ.append(wrong)
            elif decided:
                total.agreed += 1
            else:
                total.left_out += 1
    return total
