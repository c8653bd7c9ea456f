"""Critical sections as single events: on random programs whose threads share data under locks, ``dpor`` reaches the
outcomes of ``dfs``, and ``icb-dpor`` those of ``icb`` up to each bound.

A part of the programs breaks the discipline on which it rests; see tests/oracle/guarded_programs.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.oracle.guarded_programs import drawn_guarded

from mazurka.config import Options
from mazurka.explore.bounded import turns
from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Outcome
from mazurka.explore.strategy import StrategySettings
from mazurka.program.protocol import Plan, Run
from mazurka.workflows.program_spec import open_program, subject_of

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 3_000 if _LONG else 24
_MOST = 800  # executions of dfs, or icb: larger programs are left out

#: What an execution printed, and its failures.
_Shown = tuple[str, tuple[tuple[str, ...], ...]]

#: Programs that once had an outcome too few: objects that sections are the first to meet have another number in each
#: order; and of simple ones, to see what is gained.
_KEPT = (463,)


def _explored(path: Path, strategy: str, bound: int | None = None) -> tuple[dict[_Shown, int], Outcome]:
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


def _programs(folder: Path, first: int) -> Iterator[tuple[int, Path]]:
    for number in (*_KEPT, *range(first, first + _PROGRAMS)):
        path = folder / f"guarded_{number}.py"
        path.write_text(drawn_guarded(number))
        yield number, path


@pytest.mark.slow
def test_dpor_reaches_all_outcomes(tmp_path: Path) -> None:
    compared = before = after = 0
    for number, path in _programs(tmp_path, 0):
        all_shown, by_dfs = _explored(path, "dfs")
        if not by_dfs.complete:
            continue
        shown, by_dpor = _explored(path, "dpor")
        assert by_dpor.complete, number
        assert shown.keys() == all_shown.keys(), number
        compared, before, after = compared + 1, before + by_dfs.executions, after + by_dpor.executions
    assert compared > _PROGRAMS // 3
    assert after < before / 2


@pytest.mark.slow
def test_bounded_search_reaches_the_outcomes_within_its_bound(tmp_path: Path) -> None:
    compared = 0
    for number, path in _programs(tmp_path, 3_000):
        all_shown, by_icb = _explored(path, "icb")
        if not by_icb.complete:
            continue
        compared += 1
        for bound in (0, 1, 2):
            shown, _ = _explored(path, "icb-dpor", bound)
            wanted = {what for what, cost in all_shown.items() if cost <= bound}
            assert wanted <= shown.keys() <= all_shown.keys(), (number, bound)
    assert compared > _PROGRAMS // 3
