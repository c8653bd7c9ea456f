"""A small program run as C through the whole front end; its outcomes are those of :mod:`tests.oracle.front`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.oracle.language import SmallProgram
from tests.oracle.translate_c import failure, local, shared, to_c

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Verdict
from mazurka.explore.strategy import StrategySettings
from mazurka.program.llvm.expressions import as_signed
from mazurka.program.llvm.memory_objects import SHIFT
from mazurka.program.llvm.program import CProgram
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import FailureKind, Plan, Run
from mazurka.program.settings import ProgramSettings
from mazurka.symbolic.terms import value_of
from mazurka.symbolic.values import PathCondition, is_symbolic, plain
from mazurka.trace.event import Op


@dataclass(frozen=True, slots=True)
class Outcomes:
    """All that executions of a program ended in, and how many there were."""

    outcomes: set[Any]
    kinds: set[FailureKind]
    executions: int
    verdict: Verdict
    conditions: tuple[PathCondition, ...] = ()
    later: list[Callable[[Mapping[str, int]], Any]] = field(default_factory=list)  # outcomes with other inputs

    def holds(self, inputs: Mapping[str, int]) -> bool:
        """Whether inputs are in the class of those of the executions."""
        return all(value_of(each.term, inputs) == each.holds for each in self.conditions)


@dataclass
class _Recorded(CProgram):
    """Notes the outcome of each execution as the oracle would put it."""

    small: SmallProgram = field(default_factory=lambda: SmallProgram(()))
    assertions: dict[int, list[str]] = field(default_factory=dict)
    outcomes: set[Any] = field(default_factory=set)
    kinds: set[FailureKind] = field(default_factory=set)
    later: list[Callable[[Mapping[str, int]], Any]] = field(default_factory=list)

    def execute(self, plan: Plan) -> Run:
        run = super().execute(plan)
        if run.divergence is None and not run.settled:
            assert not run.truncated, run.truncated
            self.outcomes.add(self._outcome(run, plain))
            self.later.append(self._outcomes_of(run))
            self.kinds |= {failure.kind for failure in run.failures}
        return run

    def _outcomes_of(self, run: Run) -> Callable[[Mapping[str, int]], Any]:
        """A function that gives the outcome of this execution for other inputs of its class."""
        numbers: list[Any] = []

        def keep(number: Any) -> int:
            numbers.append(number)
            return 0

        self._outcome(run, keep)

        def outcome(inputs: Mapping[str, int]) -> Any:
            left = iter(numbers)

            def known(_: Any) -> int:
                number = next(left)
                return as_signed(value_of(number.term, inputs), 32) if is_symbolic(number) else number

            return self._outcome(run, known)

        return outcome

    def _outcome(self, run: Run, known: Callable[[Any], int]) -> Any:
        """The outcome, where ``known`` gives the numbers in memory, which is asked for always in the same order."""
        code = self.small.code
        visible = tuple(
            tuple(known(self._value(local(number, each.names[at]))) for at in each.visible)
            for number, each in enumerate(code)
        )
        numbers = [known(self._value(failure(number))) for number in range(len(code))]
        contents = [(name, known(number)) for name, number in self._shared()]
        failures = tuple(self.assertions[at][number - 1] if number else "" for at, number in enumerate(numbers))
        stuck = frozenset((run.tasks[b.task], "join" if b.op is Op.JOIN else "acquire") for b in run.blocked)
        ended = "0" not in {thread for thread, _ in stuck} and not failures[0] and self.small.main_joins
        values = tuple(sorted((name, number) for name, number in contents if number)) if ended else ()
        return values, visible, failures, stuck

    def _shared(self) -> Iterator[tuple[str, Any]]:
        """The shared variables, and their values."""
        assert self.machine is not None
        prefix = shared("")
        for name, each in self.machine.module.globals.items():
            if name.startswith(prefix):
                plain_name = name.removeprefix(prefix)
                for at in range(each.type.size // 4):
                    yield f"{plain_name}[{at}]" if each.type.size > 4 else plain_name, self._value(name, at)

    def _value(self, name: str, at: int = 0) -> Any:
        """A number in memory, which may depend on inputs; unsigned then."""
        assert self.machine is not None
        if name not in self.machine.module.globals:
            return 0  # the compiler has found no use of it
        memory, address = self.machine.memory, self.machine.address(name) + 4 * at
        thing = memory.objects[address >> SHIFT]
        value = int.from_bytes(memory.peek(address, 4), "little", signed=True)
        return value if thing.unknown is None else thing.unknown.number(address - thing.address, 4, value)


def reached(
    program: SmallProgram,
    path: Path,
    strategy: str,
    model: MemoryModel = MemoryModel.SC,
    limit: int = 3_000,
    flags: tuple[str, ...] = (),
    times: int = 1,
    inputs: Mapping[str, int] | None = None,
    text: str = "",
) -> Outcomes:
    """The outcomes of the program's executions, explored by ``strategy``; ``path`` is that of its source. Of several
    searches the last one counts: it knows the scheduling points from the beginning. ``inputs`` are those of unknown
    inputs, ``text`` is another source."""
    source, assertions = to_c(program)
    path.write_text(text or source)
    subject = _Recorded(str(path), flags, (), ProgramSettings(memory=model), small=program, assertions=assertions)
    subject.inputs = inputs or {}
    wanted = StrategySettings(finals=True)
    for _ in range(times):
        outcome = Explorer(subject, strategy, settings=wanted, stop_at_first=False, budget=Budget(limit)).run()
    return Outcomes(
        subject.outcomes, subject.kinds, outcome.executions, outcome.verdict, outcome.conditions, subject.later
    )
