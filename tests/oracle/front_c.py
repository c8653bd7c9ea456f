"""A small program run as C through the whole front end; its outcomes are those of :mod:`tests.oracle.front`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.oracle.language import SmallProgram
from tests.oracle.translate_c import failure, local, shared, to_c

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Verdict
from mazurka.explore.strategy import StrategySettings
from mazurka.program.llvm.program import CProgram
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import FailureKind, Plan, Run
from mazurka.program.settings import ProgramSettings
from mazurka.trace.event import Op


@dataclass(frozen=True, slots=True)
class Outcomes:
    """All that executions of a program ended in, and how many there were."""

    outcomes: set[Any]
    kinds: set[FailureKind]
    executions: int
    verdict: Verdict


@dataclass
class _Recorded(CProgram):
    """Notes the outcome of each execution as the oracle would put it."""

    small: SmallProgram = field(default_factory=lambda: SmallProgram(()))
    assertions: dict[int, list[str]] = field(default_factory=dict)
    outcomes: set[Any] = field(default_factory=set)
    kinds: set[FailureKind] = field(default_factory=set)

    def execute(self, plan: Plan) -> Run:
        run = super().execute(plan)
        if run.divergence is None and not run.settled:
            assert not run.truncated, run.truncated
            self.outcomes.add(self._outcome(run))
            self.kinds |= {failure.kind for failure in run.failures}
        return run

    def _outcome(self, run: Run) -> Any:
        code = self.small.code
        visible = tuple(
            tuple(self._value(local(number, each.names[at])) for at in each.visible) for number, each in enumerate(code)
        )
        numbers = [self._value(failure(number)) for number in range(len(code))]
        failures = tuple(self.assertions[at][number - 1] if number else "" for at, number in enumerate(numbers))
        stuck = frozenset((run.tasks[b.task], "join" if b.op is Op.JOIN else "acquire") for b in run.blocked)
        ended = "0" not in {thread for thread, _ in stuck} and not failures[0]
        values = tuple(sorted(self._shared())) if ended else ()
        return values, visible, failures, stuck

    def _shared(self) -> Iterator[tuple[str, int]]:
        """The shared variables that are not zero, and their values."""
        assert self.machine is not None
        prefix = shared("")
        for name, each in self.machine.module.globals.items():
            if name.startswith(prefix):
                plain = name.removeprefix(prefix)
                for at in range(each.type.size // 4):
                    if value := self._value(name, at):
                        yield f"{plain}[{at}]" if each.type.size > 4 else plain, value

    def _value(self, name: str, at: int = 0) -> int:
        assert self.machine is not None
        if name not in self.machine.module.globals:
            return 0  # the compiler has found no use of it
        content = self.machine.memory.peek(self.machine.address(name) + 4 * at, 4)
        return int.from_bytes(content, "little", signed=True)


def reached(
    program: SmallProgram,
    path: Path,
    strategy: str,
    model: MemoryModel = MemoryModel.SC,
    limit: int = 3_000,
    flags: tuple[str, ...] = (),
    times: int = 1,
) -> Outcomes:
    """The outcomes of the program's executions, explored by ``strategy``; ``path`` is that of its source. Of several
    searches the last one counts: it knows the scheduling points from the beginning."""
    text, assertions = to_c(program)
    path.write_text(text)
    subject = _Recorded(str(path), flags, (), ProgramSettings(memory=model), small=program, assertions=assertions)
    wanted = StrategySettings(finals=True)
    for _ in range(times):
        outcome = Explorer(subject, strategy, settings=wanted, stop_at_first=False, budget=Budget(limit)).run()
    return Outcomes(subject.outcomes, subject.kinds, outcome.executions, outcome.verdict)
