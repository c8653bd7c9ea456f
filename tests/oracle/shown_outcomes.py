"""What the executions of a search show: outputs and failures."""

from __future__ import annotations

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
