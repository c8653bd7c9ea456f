"""``ncmc`` against the oracle: all results and states that clients of shared objects can reach, each once."""

from __future__ import annotations

import os

import pytest
from tests.oracle.clients import commuting_classes, random_client
from tests.oracle.drive import Reached, reach
from tests.oracle.enumerate import TooLarge, everything
from tests.oracle.language import Assert, Call, If, Read, SmallProgram, Write
from tests.oracle.program import OracleProgram

from mazurka.explore.ncmc import CommutingCalls

_STATES = 20_000

#: Programs per test; ``make test-long`` asks for more.
_PROGRAMS = {"long": 3_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 100)

#: Programs all of whose executions are enumerated, and classified.
_CLASSIFIED = max(_PROGRAMS if _PROGRAMS > 100 else 0, 50)

_COUNTER = {"c": "counter"}
_SET = {"s": "concurrent_set"}


def _all_endings(program: SmallProgram) -> Reached:
    return reach(program, lambda: CommutingCalls(classes=True))


@pytest.mark.parametrize("mixed", [False, True], ids=["calls-alone", "beside-variables-and-locks"])
def test_generated_clients(mixed: bool) -> None:
    used = 0
    for number in range(_PROGRAMS):
        program = random_client(number, mixed=mixed)
        try:
            answer = everything(program, _STATES)
        except TooLarge:
            continue
        used += 1
        endings, least = _all_endings(program), reach(program, CommutingCalls)
        assert endings.everything == answer, number
        assert endings.executions == endings.followed == len(answer.reads), number
        assert endings.strategy.incompleteness_reason() == least.strategy.incompleteness_reason() == "", number
        failures = {(t, text) for final in answer.finals for t, text in enumerate(final[2]) if text}
        assert {(t, text) for final in least.everything.finals for t, text in enumerate(final[2]) if text} == failures
        assert least.executions <= endings.executions
    assert used > _PROGRAMS * 0.9


def test_no_two_executions_are_equivalent_under_the_specification() -> None:
    used = fewer = 0
    for number in range(_CLASSIFIED):
        program = random_client(number)
        try:
            classes = commuting_classes(program, 2_000)
        except TooLarge:
            continue
        used += 1
        runner, strategy, seen = OracleProgram(program), CommutingCalls(classes=True), []
        while (seed := strategy.next_seed()) is not None:
            run = runner.execute(seed.plan)
            strategy.observe(seed, run)
            seen.append(classes[run.schedule()])
        assert len(seen) == len(set(seen)), number
        fewer += len(seen) < len(classes)
    assert used > _CLASSIFIED * 0.6
    assert fewer > used // 2


@pytest.mark.parametrize("count", range(1, 13))
def test_calls_that_commute_take_one_execution(count: int) -> None:
    """N-COUNTER-INC and N-SET-ADD, whose peers take N! (thesis, 4.1 and 4.2)."""
    look = (Call("r", "c", "read"), Assert(f"r == {count}"))
    counter = SmallProgram(((Call("a", "c", "inc"),),) * count, after=look, things=_COUNTER)
    adds = tuple((Call("a", "s", "add", (str(i),)),) for i in range(count))
    added = SmallProgram(adds, after=(Call("r", "s", "size"), Assert(f"r == {count}")), things=_SET)
    assert [reach(program, "ncmc").executions for program in (counter, added)] == [1, 1]


_INCREMENT = Call("u", "c", "inc")


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            SmallProgram(
                ((_INCREMENT, Read("a", "x"), If("a == 0", (Write("x", "2"),))), (Write("x", "1"), _INCREMENT)),
                things=_COUNTER,
            ),
            id="COUNTER-2INC-CF",
        ),
        pytest.param(
            SmallProgram(
                ((_INCREMENT, Read("a", "x"), If("a == 0", (_INCREMENT,))), (Write("x", "1"), _INCREMENT)),
                things=_COUNTER,
            ),
            id="COUNTER-SHB2",
        ),
        pytest.param(
            SmallProgram(
                ((Call("a", "s", "add", ("1",)),), (Call("b", "s", "add", ("2",)), Call("c", "s", "contains", ("1",)))),
                things=_SET,
            ),
            id="SET-2ADD+CONT",
        ),
    ],
)
def test_the_examples_of_the_thesis_take_two_executions(program: SmallProgram) -> None:
    """Figures 4.3, 4.4 and 4.7: one more than the first, for the read, or the result, that can differ."""
    reached = reach(program, "ncmc")
    assert reached.executions == 2
    assert {vectors for vectors, _ in reached.everything.reads} == {vectors for vectors, _ in everything(program).reads}
