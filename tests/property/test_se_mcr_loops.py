"""``se-mcr`` and loops without bounds: it comes to an end where there are finitely many states, misses none, and
reports livelocks: loops that no order leads out of."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.drawn import some_of
from tests.oracle.enumerate import TooLarge
from tests.oracle.front import Outcomes, expected, reached
from tests.oracle.language import Read, SmallProgram, While, Write
from tests.oracle.loops import circling, looping_program

from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Inconclusive, Verified, Violation
from mazurka.explore.thread_models.cycles import bottoms, tour
from mazurka.program.protocol import FailureKind
from mazurka.program.python.entry import Function
from mazurka.program.python.program import ProgramSettings, PythonProgram

#: Programs in all; ``make test-long`` asks for more.
_PROGRAMS = {"long": 3_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), some_of(15))


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
            assert each.circling == circling(program), seed
            assert not isinstance(each.verdict, Inconclusive), seed


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


def test_a_loop_that_has_missed_its_chance_is_a_livelock(tmp_path: Path) -> None:
    program = SmallProgram(
        ((While("a != 2", (Write("x", "1"),), 0, (Read("a", "x"),)),), (Write("x", "0"), Write("x", "2"))),
    )
    found = _explore(program, tmp_path, "round")
    assert found.outcomes == expected(program)
    assert isinstance(found.verdict, Violation)
    assert found.verdict.first.failure.kind is FailureKind.LIVELOCK
    assert found.circling == {frozenset({"0.1"})}


def test_what_nobody_notices_goes_on_for_ever_too(tmp_path: Path) -> None:
    """The second thread's loop touches nothing that anybody is known to write: the first one never gets there."""
    program = looping_program(271)
    found = _explore(program, tmp_path, "unnoticed")
    assert found.circling == circling(program) == {frozenset({"0.1", "0.2"})}


def test_who_is_held_at_the_head_of_a_loop_makes_a_pass_first(tmp_path: Path) -> None:
    """The first tour through the loops differs from all later ones."""
    program = looping_program(81)
    found = _explore(program, tmp_path, "warm")
    assert found.circling == circling(program) == {frozenset({"0.1", "0.2"})}


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


def test_a_tour_leaves_nobody_out() -> None:
    edges = {1: {0: 2}, 2: {0: 3, 1: 2}, 3: {2: 1}}
    way = tour(1, lambda node: edges[node])
    node = 1
    for label in way:
        node = edges[node][label]
    assert node == 1
    assert set(way) == {0, 1, 2}
    assert way == [0, 1, 0, 2]


_COUNTS = """
import ctypes
import threading


class Shared:
    toggled = 0


kept = {kept}


def program():
    shared = Shared()
    kept.value = 0

    def toggle():
        kept.value = 0
        while kept.value < 9:
            shared.toggled = 1 - shared.toggled
            kept.value += 1

    def look():
        shared.toggled = 0

    threads = [threading.Thread(target=target) for target in (toggle, look)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


@pytest.mark.parametrize("kept", ["ctypes.c_int(0)", "threading.local()"])
def test_loops_that_get_on_out_of_sight_are_no_livelocks(kept: str, tmp_path: Path) -> None:
    path = tmp_path / f"counts_{kept[0]}.py"
    path.write_text(_COUNTS.format(kept=kept))
    program = PythonProgram(Function(str(path), "program"), ProgramSettings(roots=(str(tmp_path),)))
    try:
        outcome = Explorer(program, "se-mcr", stop_at_first=False, learned=program.learned.points).run()
    finally:
        program.close()
    assert outcome.found == ()


def test_loops_that_get_on_in_what_they_write_come_to_their_end(tmp_path: Path) -> None:
    """Their variables are the same in each of more passes than a run is given in which nothing seems to happen."""
    path = tmp_path / "counts_long.py"
    path.write_text(_COUNTS.format(kept="Shared()").replace("< 9", "< 90"))
    program = PythonProgram(Function(str(path), "program"), ProgramSettings(roots=(str(tmp_path),)))
    try:
        outcome = Explorer(program, "se-mcr", learned=program.learned.points).run()
    finally:
        program.close()
    assert isinstance(outcome.verdict, Verified)
