"""Each failure of a generated program has a witness that the checker believes, and no false witness is believed.

Small programs are run at random, by the oracle and as real Python through the whole front end. Every run's order must
be believed, and of each that fails the claim, too. An order that is then changed to an impossible one, or a false
claim, must be refused.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.oracle.generate import random_program
from tests.oracle.program import OracleProgram
from tests.oracle.translate import to_python

from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import FailureKind, Plan, Run, Step, TailPolicy
from mazurka.program.python.entry import Function
from mazurka.program.python.program import Isolation, ProgramSettings, PythonProgram
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import trace_of
from mazurka.witness import DeadlockState, Fails, StuckThread, Witness, contradictions, objections
from mazurka.workflows.certifying import witness_of

#: Programs per test run; ``make test-long`` asks for more.
_PROGRAMS = {"long": 600}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 30)
_SHARE = 30
_RUNS = 6
#: Programs in which a thread waits and is notified, which is rare.
_NOTIFIED = (222, 378)


def _python_runs(seed: int, folder: Path, model: MemoryModel = MemoryModel.SC) -> Iterator[Run]:
    """Runs of a generated program as real Python, whose threads die of failed assertions."""
    name = f"witnessed_{seed}"
    text = re.sub(
        r"( +)(failed\[\d+\] = str\(error\))",
        r"\1\2\n\1raise",
        to_python(random_program(seed, semaphores=bool(seed % 2))),
    )
    (folder / f"{name}.py").write_text(text)
    settings = ProgramSettings(roots=(str(folder),), isolation=Isolation.RESTORE, memory=model)
    program = PythonProgram(Function(str(folder / f"{name}.py"), "program"), settings)
    try:
        for number in range(_RUNS):
            run = program.execute(Plan(tail=TailPolicy.RANDOM, seed=number, detail=True))
            assert not run.truncated
            yield run
    finally:
        program.close()
        sys.modules.pop(name, None)


@pytest.mark.parametrize("model", MemoryModel)
@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_what_fails_has_a_witness(first: int, model: MemoryModel, tmp_path: Path) -> None:
    kinds: Counter[FailureKind] = Counter()
    for seed in range(first, first + _SHARE):
        for run in _python_runs(seed, tmp_path, model):
            whole = Witness(tuple(range(len(run.log))))
            assert objections(trace_of(run.tasks, run.log), whole) == [], f"seed {seed}"
            for failure in run.failures:
                trace, witness = witness_of(run, failure)
                assert objections(trace, witness) == [], f"seed {seed}: {failure.message}"
                assert contradictions(trace, witness) == [], f"seed {seed}: {failure.message}"
                kinds[failure.kind] += 1
    assert first or kinds.keys() == {FailureKind.ASSERTION, FailureKind.DEADLOCK, FailureKind.BLOCKED}


def test_runs_of_the_oracle_have_witnesses() -> None:
    """The oracle says of a stuck run only who is stopped before what."""
    stuck = 0
    for seed in range(150):
        program = OracleProgram(random_program(seed, semaphores=bool(seed % 2)), joint=bool(seed % 3))
        for number in range(3):
            run = program.execute(Plan(tail=TailPolicy.RANDOM, seed=number))
            waiting = tuple(StuckThread(run.tasks[b.task], b.op, b.target) for b in run.blocked)
            claim = DeadlockState(waiting) if waiting else None
            log = [step._replace(value=None) if step.target[0] == "sem" else step for step in run.log]
            assert objections(trace_of(run.tasks, log), Witness(tuple(range(len(log))), claim=claim)) == []
            stuck += claim is not None
    assert stuck > 40


# -- witnesses that must be refused
# ---------------------------------------------------------------------------------------------


def test_what_is_wrong_is_refused(tmp_path: Path) -> None:
    """Each way of spoiling a witness is tried on many runs, and never believed."""
    chance = random.Random(1)
    spoilt: Counter[str] = Counter()
    for seed in (*range(16), *_NOTIFIED):
        for run in _python_runs(seed, tmp_path):
            for name, refused in [*_spoilt_logs(run, chance), *_spoilt_orders(run, chance), *_spoilt_claims(run)]:
                assert refused, f"seed {seed}: believed although {name}"
                spoilt[name] += 1
    assert len(spoilt) == 13, sorted(spoilt)
    assert min(spoilt.values()) >= 3, spoilt


def _refused(run: Run, log: list[Step]) -> bool:
    trace, witness = trace_of(run.tasks, log), Witness(tuple(range(len(log))))
    return bool(objections(trace, witness) or contradictions(trace, witness))


def _spoilt_logs(run: Run, chance: random.Random) -> Iterator[tuple[str, bool]]:
    """Steps that something after them depends on are left out; values are changed."""
    needed = {
        Op.RELEASE: (Op.ACQUIRE, "a release is missing"),
        Op.END: (Op.JOIN, "an end is missing"),
    }
    for index, step in enumerate(run.log):
        following = [other for other in run.log[index + 1 :] if other.target == step.target]
        without = [*run.log[:index], *run.log[index + 1 :]]
        if step.op in needed and following and following[0].op is needed[step.op][0] and chance.random() < 0.3:
            own = following[0].task == step.task  # taking it again: of a re-entrant lock that would be right
            if not own and any(s.target == step.target for s in run.log[:index]):
                yield needed[step.op][1], _refused(run, without)
        if any(access.target[0] == "wake" and WRITES[access.op] for access in step.more):
            woken = {access.target for access in step.more}
            if any(access.target in woken for other in run.log[index + 1 :] for access in other.more):
                yield "a notification is missing", _refused(run, without)
        if step.target[0] == "sem" and step.op is Op.RMW and any(s.target == step.target for s in run.log[:index]):
            changed = [*run.log[:index], step._replace(value=-1), *run.log[index + 1 :]]
            yield "a count is wrong", _refused(run, changed)
        if step.op is Op.READ and isinstance(step.value, str) and step.value.isdigit():
            if any(s.target == step.target and s.op is Op.WRITE for s in run.log[:index]) and chance.random() < 0.3:
                changed = [*run.log[:index], step._replace(value="4711"), *run.log[index + 1 :]]
                yield "a value is wrong", _refused(run, changed)
        if step.op is Op.END and chance.random() < 0.3:
            yield "a thread goes on after its end", _refused(run, [*run.log, step._replace(op=Op.READ)])


def _touched(step: Step) -> dict[object, tuple[bool, bool]]:
    """The reads and writes of a step."""
    accesses = [(step.op, step.target), *((access.op, access.target) for access in step.more)]
    targets = {target for _, target in accesses}
    return {
        each: (any(READS[op] for op, t in accesses if t == each), any(WRITES[op] for op, t in accesses if t == each))
        for each in targets
    }


def _spoilt_orders(run: Run, chance: random.Random) -> Iterator[tuple[str, bool]]:
    """The same steps, but in an order that changes the values that they read."""
    trace = trace_of(run.tasks, [step._replace(value=None) for step in run.log])
    order = list(range(len(run.log)))
    for index in order[:-1]:
        one, other = run.log[index], run.log[index + 1]
        if chance.random() > 0.05:
            continue
        swapped = (*order[:index], index + 1, index, *order[index + 2 :])
        if one.task == other.task:
            yield "a thread goes backwards", bool(objections(trace, Witness(swapped)))
            continue
        before, after = _touched(one), _touched(other)
        if any((before[t][1] and after[t][0]) or (before[t][0] and after[t][1]) for t in before.keys() & after.keys()):
            yield "a read comes on the other side of a write", bool(objections(trace, Witness(swapped)))
    for index in [i for i in order if run.log[i].op is Op.BEGIN][:1]:
        early = (index, *order[:index], *order[index + 1 :])
        yield "a thread begins before it is started", bool(objections(trace, Witness(early)))


def _spoilt_claims(run: Run) -> Iterator[tuple[str, bool]]:
    """The order is right, but something else is claimed of its end."""
    for failure in run.failures:
        trace, witness = witness_of(run, failure)

        def refused(**changed: object) -> bool:
            return bool(objections(trace, replace(witness, **changed)))  # noqa: B023 -- called at once

        if isinstance(witness.claim, Fails):
            fails = witness.claim
            last = max((i for i in witness.order if run.tasks[run.log[i].task] == fails.thread), default=0)
            yield "it fails earlier", refused(order=witness.order[:last])
            yield "a thread fails that has ended", refused(order=tuple(range(len(run.log))))
            continue
        assert witness.claim is not None
        waits = witness.claim.waiting
        yield "one that waits is not told", refused(claim=DeadlockState(waits[1:]))
        for index, each in enumerate(waits):
            if each.op is Op.ACQUIRE and each.holder is not None:
                other = next(name for name in run.tasks if name != each.holder)
                wrong = (*waits[:index], replace(each, holder=other), *waits[index + 1 :])
                yield "another thread holds the lock", refused(claim=DeadlockState(wrong))
