"""What the executions of a search show, outputs and failures, and whether a reduced search shows as much."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from mazurka.config import Options
from mazurka.explore.bounded import turns
from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Outcome
from mazurka.explore.strategy import StrategySettings
from mazurka.program.protocol import Plan, Run
from mazurka.workflows.program_spec import open_program, subject_of

_MOST = 800  # executions: larger programs are not explored to their end

#: What an execution printed, and its failures.
_Shown = tuple[str, tuple[tuple[str, ...], ...]]


def explored(path: Path, strategy: str, bound: int | None = None) -> tuple[dict[_Shown, int], Outcome]:
    """What executions showed, each with the fewest preemptions of an execution that did."""
    options = Options(strategy=strategy)
    shown: dict[_Shown, int] = {}
    with closing(open_program(subject_of(str(path), (), options), options)) as program:
        program.prepare()
        execute = program.execute

        def watched(plan: Plan) -> Run:
            run = execute(plan)
            if not (run.divergence or run.truncated or run.found_new_points):
                cost = sum(turn.cost(thread) for turn, thread in zip(turns(run), run.schedule(), strict=True))
                what = run.output, tuple(sorted(failure.identity for failure in run.failures))
                shown[what] = min(cost, shown.get(what, cost))
            return run

        program.execute = watched  # type: ignore[method-assign]
        settings = StrategySettings(bound=bound)
        explorer = Explorer(program, strategy, settings=settings, budget=Budget(_MOST), stop_at_first=False)
        return shown, explorer.run()


def compare_dpor(programs: Iterable[tuple[int, Path]]) -> tuple[int, int, int]:
    """Hold ``dpor`` to ``dfs``; returns the number of programs that ``dfs`` decides, and the executions of both."""
    compared = before = after = 0
    for number, path in programs:
        all_shown, by_dfs = explored(path, "dfs")
        if not by_dfs.complete:
            continue
        shown, by_dpor = explored(path, "dpor")
        assert by_dpor.complete, number
        assert shown.keys() == all_shown.keys(), number
        compared, before, after = compared + 1, before + by_dfs.executions, after + by_dpor.executions
    return compared, before, after


def compare_bounded(programs: Iterable[tuple[int, Path]]) -> int:
    """Hold ``icb-dpor`` to ``icb`` for each bound up to two; returns the number of programs that ``icb`` decides."""
    compared = 0
    for number, path in programs:
        all_shown, by_icb = explored(path, "icb")
        if not by_icb.complete:
            continue
        compared += 1
        for bound in (0, 1, 2):
            shown, _ = explored(path, "icb-dpor", bound)
            wanted = {what for what, cost in all_shown.items() if cost <= bound}
            assert wanted <= shown.keys() <= all_shown.keys(), (number, bound)
    return compared
