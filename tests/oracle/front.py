"""A small program run as real Python through the whole front end, and the oracle's expectation.

Compared are final shared values, every thread's locals (which are the values it read), failed assertions, and for runs
that got stuck, which threads were stuck in which operation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.oracle.enumerate import final_states
from tests.oracle.language import SmallProgram
from tests.oracle.translate import Holder, to_python

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Verdict
from mazurka.explore.strategy import StrategySettings as StrategySettings
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import FailureKind, Plan, Run
from mazurka.program.python.entry import Function
from mazurka.program.python.program import Isolation, ProgramSettings, PythonProgram
from mazurka.trace.event import Op

_STUCK_IN: Final = {"lock": "acquire", "down": "acquire", "relock": "acquire", "wake": "acquire", "join": "join"}


@dataclass(frozen=True, slots=True)
class Outcomes:
    """All that runs of a program ended in, and how many there were."""

    outcomes: set[Any]
    kinds: set[FailureKind]
    executions: int
    verdict: Verdict
    circling: set[frozenset[str]]  # the threads that went round for ever, in each run that shows it


class _Recorded(PythonProgram):
    """Notes the outcome of each run as the oracle would put it: a run that goes round for ever has none."""

    outcomes: set[Any]
    kinds: set[FailureKind]
    circling: set[frozenset[str]]
    locals: list[int]  # by thread: how many it has

    def execute(self, plan: Plan) -> Run:
        run = super().execute(plan)
        goes_round = run.settled or any(blocked.repeats is not None for blocked in run.blocked)
        if run.divergence is None and not goes_round:
            assert not run.truncated
            self.outcomes.add(self._outcome(run))
            self.kinds |= {failure.kind for failure in run.failures}
        for failure in run.failures if goes_round else ():
            held = {run.tasks[blocked.task] for blocked in run.blocked if blocked.repeats is not None}
            moved = {waiting.thread for waiting in failure.waiting} if run.again else set()
            self.circling.add(frozenset(held | moved))
        return run

    def _outcome(self, run: Run) -> Any:
        locals_of, failed = sys.modules[self._module()].__dict__["last"]
        visible = tuple(locals_of.get(i, (0,) * count) for i, count in enumerate(self.locals))
        failures = tuple(failed.get(i, "") for i in range(len(self.locals)))
        stuck = frozenset((run.tasks[b.task], "join" if b.op is Op.JOIN else "acquire") for b in run.blocked)
        shared = run.result[0] if run.result and not failures[0] else ()
        return shared, visible, failures, stuck

    def _module(self) -> str:
        assert isinstance(self.entry, Function)
        return Path(self.entry.path).stem


def expected(program: SmallProgram, model: MemoryModel = MemoryModel.SC, limit: int = 30_000) -> set[Any]:
    """The outcomes according to the oracle."""
    outcomes = set()
    for shared, visible, failed, stuck in final_states(program, limit, model):
        waiting = frozenset((program.names[t], _STUCK_IN[program.code[t].instructions[pc][0]]) for t, pc in stuck)
        # A main that failed, or joins no thread, looks at the variables at once, not when all threads have ended.
        values = (
            () if failed[0] or not program.main_joins else tuple((name, value) for name, value in shared if value != 0)
        )
        outcomes.add((values, visible, tuple(failed), waiting))
    return outcomes


def reached(
    program: SmallProgram,
    folder: Path,
    name: str,
    strategy: str = "mcr",
    model: MemoryModel = MemoryModel.SC,
    limit: int = 3_000,
    holder: Holder = Holder.ATTRIBUTES,
    edit: Callable[[str], str] = str,
    finals: bool = True,
) -> Outcomes:
    """The outcomes of the program's runs, explored by ``strategy``; as module ``name`` in ``folder``."""
    path = folder / f"{name}.py"
    path.write_text(edit(to_python(program, holder)))
    settings = ProgramSettings(roots=(str(folder),), isolation=Isolation.RESTORE, memory=model)
    subject = _Recorded(Function(str(path), "program"), settings)
    subject.outcomes, subject.kinds, subject.circling = set(), set(), set()
    subject.locals = [len(each.visible) for each in program.code]
    wanted = StrategySettings(finals=finals)
    explorer = Explorer(subject, strategy, settings=wanted, stop_at_first=False, budget=Budget(limit))
    try:
        outcome = explorer.run()
    finally:
        subject.close()
        sys.modules.pop(name, None)
    return Outcomes(subject.outcomes, subject.kinds, outcome.executions, outcome.verdict, subject.circling)
