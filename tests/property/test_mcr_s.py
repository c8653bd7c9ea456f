"""``mcr-s`` and ``mcr-s+`` reach all that can be observed, and run no class twice (but for try-locks, which are guessed
at): against the oracle, and through the Python front end.

Locals of the oracle's threads other than main's last reads are observed by no code here, so that many reads are
needless; the fewer the variables that main looks at in the end, the more. Compared are the values of the visible
variables, the failures, and the places where threads are stuck.
"""

from __future__ import annotations

import os
import random
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.oracle.dependence import OracleDependence
from tests.oracle.drive import reach
from tests.oracle.enumerate import TooLarge, everything
from tests.oracle.front import expected, reached
from tests.oracle.generate import random_program
from tests.oracle.language import Assert, If, Read, Set, SmallProgram, Write
from tests.property.test_leases import Divided

from mazurka.causal.solvers import make_solver
from mazurka.explore.mcr_s import SlicedSearch
from mazurka.explore.strategy import Strategy
from mazurka.program.memory import MemoryModel
from mazurka.program.python.instrument import sites

_LONG = os.environ.get("HYPOTHESIS_PROFILE", "") == "long"
_PROGRAMS = 20_000 if _LONG else 30
_SHARE = 100 if _LONG else 30
_LEASES = 500 if _LONG else 8
_PYTHON = 600 if _LONG else 8
_MOST = 3_000 if _LONG else 100


def _search(program: SmallProgram, transitively: bool) -> SlicedSearch:
    return SlicedSearch(make_solver("search"), OracleDependence(program, transitively))


def _told(finals: Any, program: SmallProgram) -> set[Any]:
    """The visible part of final states: of variables, those that main reads at the end."""
    seen = {read.variable for read in program.after if isinstance(read, Read)}
    return {
        (tuple((n, v) for n, v in shared if n in seen), tuple(failed), stuck) for shared, _, failed, stuck in finals
    }


def _check(program: SmallProgram, what: str = "", model: MemoryModel = MemoryModel.SC) -> tuple[int, int, int]:
    """How many executions ``mcr``, ``mcr-s`` and ``mcr-s+`` make."""
    finals = everything(program, 30_000, model).finals
    counts = [reach(program, "mcr", model=model).executions]
    for transitively in (False, True):
        found = reach(program, partial(_search, program, transitively), model=model)
        assert _told(found.everything.finals, program) == _told(finals, program), f"{what} {program}"
        assert not found.strategy.incompleteness_reason(), f"{what} {program}"
        assert program.looked_at or not found.strategy.counters.repeated, f"{what} {program}"
        counts.append(found.executions)
    assert program.looked_at or counts[0] >= counts[1] >= counts[2], f"{what} {counts} {program}"
    return counts[0], counts[1], counts[2]


@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_generated_programs_reach_all_that_can_be_told(first: int) -> None:
    fewer = 0
    for seed in range(first, first + _SHARE):
        model = list(MemoryModel)[seed // 3 % 3]
        program = random_program(seed, conditions=seed % 2 == 0)
        program = replace(program, after=program.after[: 3 - seed % 3])
        try:
            mcr, sliced, _ = _check(program, f"seed {seed}", model)
        except TooLarge:
            continue
        fewer += sliced < mcr
    assert fewer > _SHARE // 10


class _Divided(Divided):
    """The same search by workers, some of which get lost; it goes on after kills, too."""

    def new(self) -> Strategy:
        return _search(self.program, transitively=True)


@pytest.mark.parametrize("seed", range(_LEASES))
def test_divided_work_reaches_the_same(seed: int) -> None:
    program = replace(random_program(seed, conditions=seed % 2 == 0), after=())
    try:
        finals = everything(program, 3_000).finals
    except TooLarge:
        return
    chance = random.Random(seed)
    divided = _Divided(program, "mcr-s+", chance, chance.randint(1, 3), chance.randint(1, 9), loss=4 * (seed % 2))
    divided.search()
    assert _told({final for final, _ in divided.results}, program) == _told(finals, program)
    assert not divided.strategy.incompleteness_reason()


def test_not_only_the_last_controlling_read_decides() -> None:
    """Whether thread 2 writes depends on both its reads; the last one before the write alone says nothing."""
    reader = (Read("a", "x"), If("a == 1", (Read("b", "y"), If("b == 0", (Write("z", "1"),)))))
    writer = (Write("x", "1"), Write("y", "1"), Write("x", "2"))
    program = SmallProgram((writer, reader), after=(Read("rz", "z"),))
    assert _check(program) == (4, 4, 4)


def test_what_a_written_value_depends_on_is_asked() -> None:
    """The dissertation's example (ch. 4.2.2.2) of a write that is reached anyway, but with another value."""
    threads = ((Read("r", "y"),), (Write("x", "1"), Read("a", "x"), Write("y", "a")), (Write("x", "2"),))
    _check(SmallProgram(threads))


def test_a_counter_nobody_looks_at() -> None:
    count = (Read("a", "n"), Set("a", "a + 1"), Write("n", "a"))
    program = SmallProgram((count * 2, count * 2))
    assert _check(program) == (13, 13, 1)
    looked_at = _check(replace(program, after=(Read("rn", "n"),)))
    assert looked_at[0] == looked_at[1] == looked_at[2]
    assert _check(replace(program, after=(Read("b", "n"), Assert("b > 0"))))[2] == looked_at[2]


def _unseen(source: str) -> str:
    """The same program, whose threads do not return their locals; its variables are bound at once, and in no string."""
    begin = "    def __init__(self):\n        self.x = 0\n        self.y = 0\n        self.z = 0\n"
    source = source.replace("class Shared:\n", f"class Shared:\n{begin}\n")
    source = re.sub(r"(outcome\[[1-9]\d*\]) = .*", r"\1 = ()", source)
    return re.sub(r"values\['(\w)'\]", lambda match: f"values[chr({ord(match[1])})]", source)


def _outcomes(outcomes: set[Any]) -> set[Any]:
    return {(shared, visible[0], failed, stuck) for shared, visible, failed, stuck in outcomes}


def test_generated_programs_through_the_front_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = fewer = 0
    for seed in range(_PYTHON):
        program = random_program(seed, conditions=seed % 2 == 0)
        try:
            answer = _outcomes(expected(program))
        except TooLarge:
            continue
        counts = []
        for strategy in ("dpor-rf", "mcr-s", "mcr-s+"):
            monkeypatch.setattr(sites, "instrumented", set())  # modules of other tests may look at any object
            name = f"sliced_{seed}_{strategy.replace('-', '_').replace('+', 'p')}"
            found = reached(program, tmp_path, name, strategy, limit=_MOST, edit=_unseen, finals=False)
            if found.executions >= _MOST:
                break
            assert _outcomes(found.outcomes) == answer, f"seed {seed}, {strategy}"
            counts.append(found.executions)
        compared += len(counts) == 3
        fewer += len(counts) == 3 and counts[1] < counts[0]
    assert compared > _PYTHON * 0.6
    assert fewer
