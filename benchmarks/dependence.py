"""The savings by static dependence: ``mcr``, ``mcr-s`` and ``mcr-s+`` side by side, as in the dissertation's tables 4.2
and 4.3 (S. Huang, ch. 4.4).

Counted over a whole search are, of all that the solver was asked, the reads that had to keep their source, and the
constraints that this makes: one for each further write to the location that was to happen as well, since that has to
come before the source or after the read. Published are JMCR's figures for MCR and MCR-S+ on its own transcriptions,
with more threads or rounds than here: the ratio is to be compared, not the count. Our strategies leave reads out for
good (docs/decisions/leave-out-whole-reads.md): no class is run twice, and where all values are looked at, nothing is
saved.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from benchmarks.row import ROOT, SRC, Row, Settings, middle

_STRATEGIES: Final = ("mcr", "mcr-s", "mcr-s+")

#: Program, arguments, and the published figures: executions of MCR and MCR-S+, and the share of reads that is left.
_PROGRAMS: Final = (
    ("counted_cache.py", (3,), ""),
    ("counted_cache.py", (2,), ""),
    ("counter.py", (3,), "4,523 to 3,485 executions, 82 % of the reads"),
    ("airline.py", (3,), "14 to 14 executions, 99.8 % of the reads"),
    ("pingpong.py", (3,), "394 to 394 executions, 100 % of the reads"),
    ("bubblesort.py", (3, 1, 2), "not finished, 91 % of the reads"),
    ("pool107.py", (), "82 % of the reads"),
    ("stringbuffer.py", (), "100 % of the reads"),
    ("rv_example.py", (), ""),
)


@dataclass(slots=True)
class Asked:
    """The queries of a whole search."""

    executions: int = 0
    complete: bool = False
    seconds: float = 0.0
    queries: int = 0
    reads: int = 0
    constraints: int = 0
    solving: float = 0.0

    def decide_counting(self, solver: Any, history: Any, question: Any) -> Any:
        """Have a query answered, and note it."""
        begun = time.perf_counter()
        answer = solver.decide(history, question)
        self.solving += time.perf_counter() - begun
        self.queries += 1
        steps = [
            step
            for thread, count in enumerate(history.prefixes(question.happen))
            for step in history.threads[thread][:count]
        ]
        reads = [target for step in steps for target, _ in history.reads[step]]
        reads += [target for extra in question.hypothetical for target, _ in extra.reads]
        writes: dict[Any, int] = {}
        for targets in (*(history.writes[step] for step in steps), *(extra.writes for extra in question.hypothetical)):
            for target in targets:
                writes[target] = writes.get(target, 0) + 1
        self.reads += len(reads)
        self.constraints += sum(max(writes.get(target, 0) - 1, 0) for target in reads)
        return answer


class _Counting:
    """A solver whose questions are counted."""

    name = "counting"

    def __init__(self, solver: Any, asked: Asked) -> None:
        self.solver = solver
        self.asked = asked

    def decide(self, history: Any, question: Any) -> Any:
        return self.asked.decide_counting(self.solver, history, question)


def measure(settings: Settings) -> Iterator[Row]:
    for target, arguments, published in _PROGRAMS:
        figure = f"{target.replace('.py', '')}({', '.join(map(str, arguments))})"
        made = {strategy: _searches(strategy, target, arguments, settings) for strategy in _STRATEGIES}
        for strategy, searches in made.items():
            yield _row(f"{figure} {strategy}", searches, made["mcr"], published if strategy == "mcr-s+" else "")


def _row(figure: str, searches: list[Asked], others: list[Asked], published: str) -> Row:
    """One strategy on one program, as a share of ``mcr``; it never takes more executions."""
    one, mcr = searches[0], others[0]
    seconds, _ = middle([each.solving for each in searches], " s")
    notes = [f"{one.reads:,} reads, {one.constraints:,} constraints, {one.queries:,} queries, solved in {seconds}"]
    if mcr.reads:
        notes.append(
            f"{one.reads / mcr.reads:.0%} of the reads, {one.executions / mcr.executions:.0%} of the executions"
        )
    if published:
        notes.append(f"published: {published}")
    count = f"{one.executions:,}" if one.complete else f"more than {one.executions:,}"
    _, spread = middle([each.seconds for each in searches], " s")
    holds = one.executions <= mcr.executions if one.complete and mcr.complete else None
    return Row(
        figure, f"at most {mcr.executions:,}" if holds is not None else "", count, spread, "; ".join(notes), holds
    )


def _searches(strategy: str, target: str, arguments: tuple[int, ...], settings: Settings) -> list[Asked]:
    """The same search several times, each in a process of its own."""
    path = str(ROOT / "benchmarks" / "programs" / target)
    command = [sys.executable, "-m", "benchmarks.dependence", strategy, str(settings.seconds), path]
    environment = {**os.environ, "PYTHONPATH": f"{SRC}{os.pathsep}{ROOT}"}
    return [
        Asked(**json.loads(subprocess.check_output([*command, *map(str, arguments)], env=environment, text=True)))
        for _ in range(settings.repetitions)
    ]


def main(strategy: str, seconds: str, target: str, *arguments: str) -> None:
    from mazurka.causal.solvers import SOLVERS
    from mazurka.config import Options
    from mazurka.explore.explorer import Budget, Explorer
    from mazurka.explore.strategy import StrategySettings as Told
    from mazurka.workflows.program_spec import open_program, subject_of

    asked = Asked()
    solver = _Counting(SOLVERS["search"](None), asked)
    SOLVERS[solver.name] = lambda _limit: solver
    options = Options(strategy=strategy, time_limit=float(seconds))
    program = open_program(subject_of(target, arguments, options), options)
    program.prepare()
    asked, budget = Told(solver=solver.name), Budget(None, float(seconds))
    explorer = Explorer(program, strategy, settings=asked, budget=budget, stop_at_first=False)
    begun = time.perf_counter()
    restarted = 0
    for progress in explorer.progress():
        if progress.restarted:  # with points learnt: earlier queries do not count
            restarted = progress.executions
            asked.queries = asked.reads = asked.constraints = 0
            asked.solving = 0.0
            begun = time.perf_counter()
    outcome = explorer.outcome
    assert outcome is not None
    asked.executions, asked.complete = outcome.executions - restarted, outcome.complete
    asked.seconds = time.perf_counter() - begun
    print(json.dumps(asdict(asked)))


if __name__ == "__main__":
    main(*sys.argv[1:])
