"""Work that is leased in small parts, settled in any order and lost at times comes to the same as work done in one go.

Nothing runs in parallel here: the workers are strategies in this process, which makes a few runs with each before
it settles with any of them.
"""

from __future__ import annotations

import pickle
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.oracle.drive import reach
from tests.oracle.enumerate import TooLarge, everything, interleavings
from tests.oracle.generate import programs, random_program
from tests.oracle.language import SmallProgram
from tests.oracle.program import OracleProgram

from mazurka.explore.registry import make_strategy
from mazurka.explore.strategy import JournalRecord, Strategy

#: Interleavings a program may have.
_INTERLEAVINGS = 400


@dataclass
class Divided:
    """A search by workers; each makes up to ``batch`` runs, and one lease in ``loss`` gets lost after that."""

    program: SmallProgram
    name: str
    chance: random.Random
    parts: int
    batch: int
    loss: int = 0
    beyond: int = 1 << 62  # no seeds from this number on
    made: int = 0
    counted: int = 0  # runs that were not lost
    results: list[Any] = field(default_factory=list)
    records: list[JournalRecord] = field(default_factory=list)  # the records of a journal

    def __post_init__(self) -> None:
        self.strategy = self.new()
        self.runner = OracleProgram(self.program)

    def new(self) -> Strategy:
        strategy = make_strategy(self.name)
        assert strategy.divisible
        strategy.prune_from(self.beyond)
        return strategy

    def search(self, limit: int = 20_000) -> None:
        under_way: dict[int, list[JournalRecord] | None] = {}
        while True:
            for lease in self.strategy.grant_leases(self.parts - len(under_way)) if len(under_way) < self.parts else []:
                under_way[lease.number] = self.carry_out(lease.records)
            if not under_way:
                return
            assert self.made < limit, "the search does not end"
            number = self.chance.choice(list(under_way))
            self.strategy.settle_lease(number, under_way.pop(number))
            if self.chance.random() < 0.2:
                self.write()
            if self.chance.random() < 0.1 and not under_way:
                self.begin_again()

    def carry_out(self, records: list[JournalRecord]) -> list[JournalRecord] | None:
        worker = self.new()
        worker.restore(pickle.loads(pickle.dumps(records)))
        results = []
        while len(results) < self.batch and (seed := worker.next_seed()) is not None:
            run = self.runner.execute(seed.plan)
            worker.observe(seed, run)
            results.append((run.divergence is None, run.result))
        self.made += len(results)
        if self.loss and self.chance.randrange(self.loss) == 0:
            return None
        self.counted += len(results)
        self.results += [result for followed, result in results if followed]
        return worker.records()

    def write(self) -> None:
        """Write the journal, as the explorer does every now and then."""
        self.records += self.strategy.records()

    def begin_again(self) -> None:
        """As after a kill just after something was written."""
        self.write()
        self.strategy = self.new()
        self.strategy.restore(self.records)


def _reached(results: list[Any]) -> tuple[set[Any], set[Any]]:
    return {final for final, _ in results}, {(reads, final[3]) for final, reads in results}


@settings(max_examples=settings().max_examples // 2)
@given(programs(), st.sampled_from(["mcr", "dfs"]), st.randoms(use_true_random=False), st.sampled_from([0, 0, 4]))
def test_divided_work_reaches_the_same(program: SmallProgram, name: str, chance: random.Random, loss: int) -> None:
    try:
        answer, count = everything(program, 5_000), interleavings(program, 5_000)
    except (TooLarge, RecursionError):
        assume(False)
    assume(count <= _INTERLEAVINGS)
    divided = Divided(program, name, chance, parts=chance.randint(1, 3), batch=chance.randint(1, 9), loss=loss)
    divided.search()
    assert _reached(divided.results) == (answer.finals, answer.reads)
    assert divided.strategy.incompleteness_reason() == ""
    undivided = reach(program, "dpor-rf" if name == "mcr" else name)  # workers may read the same values as others
    assert divided.counted == undivided.executions


@pytest.mark.parametrize("first", [200, 210])
def test_steps_of_several_accesses(first: int) -> None:
    """Workers do not know in which forms others have seen a step: where that matters there is a doubt."""
    for number in range(first, first + 10):
        program = random_program(number, conditions=False, compounds=True)
        answer = everything(program)
        if len(answer.reads) > 60:
            continue
        divided = Divided(program, "mcr", random.Random(number), parts=2, batch=5)
        divided.search()
        finals, reads = _reached(divided.results)
        assert reads <= answer.reads, number
        complete = (finals, reads) == (answer.finals, answer.reads)
        assert complete or "other threads change" in divided.strategy.incompleteness_reason(), number


@given(programs(semaphores=True), st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 4)
def test_targets_that_turn_out_to_be_waited_for(program: SmallProgram, chance: random.Random) -> None:
    """The search begins anew when a worker says so; what was leased before is void."""
    try:
        answer, count = everything(program, 5_000), interleavings(program, 5_000)
    except (TooLarge, RecursionError):
        assume(False)
    assume(count <= _INTERLEAVINGS)
    divided = Divided(program, "mcr", chance, parts=chance.randint(1, 3), batch=chance.randint(1, 9))
    divided.search()
    assert _reached(divided.results) == (answer.finals, answer.reads)


@pytest.mark.parametrize("name", ["random", "pct"])
def test_samples_are_the_same_whoever_makes_them(name: str) -> None:
    program = random_program(3)
    undivided = make_strategy(name)
    results = []
    runner = OracleProgram(program)
    while len(results) < 200:
        seed = undivided.next_seed()
        assert seed is not None
        run = runner.execute(seed.plan)
        undivided.observe(seed, run)
        results.append(run.result)
    divided = Divided(program, name, random.Random(1), parts=3, batch=7, loss=5, beyond=200)
    divided.search()
    assert divided.counted == 200
    assert Counter(divided.results) == Counter(results)
    assert divided.strategy.summary() == undivided.summary()
    assert not divided.strategy.prune_from(200)
