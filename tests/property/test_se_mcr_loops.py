"""``se-mcr`` and loops without bounds: it comes to an end where there are finitely many states, and misses none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.oracle.enumerate import TooLarge
from tests.oracle.front import Outcomes, expected, reached
from tests.oracle.language import Read, SmallProgram, While, Write
from tests.oracle.loops import looping_program

from mazurka.explore.cycles import bottoms
from mazurka.explore.outcome import Inconclusive, Verified

#: Programs in all; ``make test-long`` asks for more.
_PROGRAMS = {"long": 3_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 25)


def _explore(program: SmallProgram, folder: Path, name: str, finals: bool = True) -> Outcomes:
    return reached(program, folder, name, "se-mcr", finals=finals)


def _failures(outcomes: set[Any]) -> set[Any]:
    return {(t, text) for _, _, failed, _ in outcomes for t, text in enumerate(failed) if text} | {
        o[3] for o in outcomes
    }


def test_programs_with_endless_loops(tmp_path: Path) -> None:
    for seed in range(_PROGRAMS):
        program = looping_program(seed)
        if "While" not in repr(program):
            continue
        try:
            answer = expected(program)
        except TooLarge:
            continue
        found = _explore(program, tmp_path, f"looping_{seed}")
        assert found.outcomes == answer, seed
        lessons = _explore(program, tmp_path, f"lessons_{seed}", finals=False)
        assert _failures(lessons.outcomes) - {frozenset()} == _failures(answer) - {frozenset()}, seed
        for each in (found, lessons):
            assert not isinstance(each.verdict, Inconclusive) or "can't leave" in each.verdict.reason, seed


def test_a_thread_that_toggles_until_it_is_told_to_stop(tmp_path: Path) -> None:
    program = SmallProgram(
        (
            (While("a != 2", (Write("x", "1 - b"), Read("b", "x")), 0, (Read("a", "y"),)),),
            (Read("c", "x"), Write("y", "2"), Read("d", "x")),
        ),
        (),
        (Read("r", "x"),),
    )
    found = _explore(program, tmp_path, "toggles")
    assert found.outcomes == expected(program)
    assert isinstance(found.verdict, Verified)


def test_loops_nobody_can_leave_are_no_proof(tmp_path: Path) -> None:
    program = SmallProgram(
        ((While("a != 2", (Write("x", "1"),), 0, (Read("a", "x"),)),), (Write("x", "0"), Write("x", "2"))),
    )
    found = _explore(program, tmp_path, "round")
    assert found.outcomes == expected(program)
    assert isinstance(found.verdict, Inconclusive)
    assert "can't leave" in found.verdict.reason


@pytest.mark.parametrize(
    ("edges", "expected_bottoms"),
    [
        ({1: [2], 2: [3], 3: [2]}, [{2, 3}]),
        ({1: [2, 4], 2: [3], 3: [2], 4: []}, [{2, 3}, {4}]),
        ({1: [1], 2: [1]}, [{1}]),
        ({1: [2], 2: [1, 3], 3: [4], 4: [3, 5], 5: [5]}, [{5}]),
        ({1: [], 2: [], 3: [1, 2]}, [{1}, {2}]),
    ],
)
def test_bottom_components(edges: dict[int, list[int]], expected_bottoms: list[set[int]]) -> None:
    found = [set(each) for each in bottoms(edges, lambda node: edges[node])]
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected_bottoms))
