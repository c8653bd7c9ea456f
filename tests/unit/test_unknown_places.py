"""Accesses at unknown addresses: one path for each object, unless another thread is in conflict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.unit.c_programs import explored, opened

from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Outcome, Violation
from mazurka.program.llvm.program import CProgram
from mazurka.unfold.strategy import UnfoldingSearch

_HEAD = """
extern unsigned char __VERIFIER_nondet_uchar(void);
int table[200];
void *idle(void *p) { return p; }
"""

_MAIN = """
int main(void) {{
    pthread_t t; pthread_create(&t, 0, {thread}, 0);
    unsigned char n = __VERIFIER_nondet_uchar();
    {body}
    pthread_join(t, 0);
}}
"""


def _program(folder: Path, body: str, head: str = "", thread: str = "idle", **options: Any) -> CProgram:
    return opened(folder, f"{_HEAD}{head}{_MAIN.format(body=body, thread=thread)}", **options)


def _searched(program: CProgram) -> tuple[Outcome, int]:
    """The outcome of all orders and inputs, and the number of paths."""
    explorer = Explorer(program, "unfolding", stop_at_first=False, learned=program.learned.points)
    outcome = explorer.run()
    assert isinstance(explorer.strategy, UnfoldingSearch)
    return outcome, explorer.strategy.input_paths() or 0


def _failures(outcome: Outcome) -> list[str]:
    return [each.failure.message for each in outcome.found]


@pytest.mark.parametrize(
    ("body", "paths", "failures"),
    [
        ("int v = table[n];", 2, ["out of bounds"]),
        ("table[n] = 1;", 2, ["out of bounds"]),
        ("int v = table[n >> 1];", 1, []),
        ("int v = table[n - 50];", 2, ["out of bounds"]),
        ("int v = *(int *)((char *)table + n);", 1, []),
        ("table[n % 200] = n; assert(table[n % 200] == n);", 1, []),
        ("table[n / 2] = 7; assert(table[3] == 0);", 2, ["assertion failed"]),
        ("int own[8]; own[1] = 2; int v = own[n & 7] + 1;", 2, ["uninitialised read"]),
        ("int *p = malloc(40); free(p); int v = p[n & 7];", 1, ["use after free"]),
        ("static const char text[] = \"abc\"; assert(text[n & 3] != 'b');", 2, ["assertion failed"]),
        ("static const int c[4]; *(int *)&c[n & 3] = 1;", 1, ["write to a constant"]),
        ("int a = 1, b = 2, *both[2] = {&a, &b}; assert(*both[n & 1] != 2);", 2, ["assertion failed"]),
        ("int a[2] = {1, 2}, b[2] = {3, 4}, *all[4] = {a, a + 1, b, b + 1}; *all[n & 3] = 9;", 2, []),
    ],
)
def test_there_is_one_path_for_each_object(body: str, paths: int, failures: list[str], tmp_path: Path) -> None:
    program = _program(tmp_path, body)
    outcome, found = _searched(program)
    assert found == paths
    assert [each.split(":")[0] for each in _failures(outcome)] == failures
    assert bool(failures) is isinstance(outcome.verdict, Violation)
    assert not program.facts().notes


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ("static char large[4096]; large[(n & 7) * 512 ^ n & 7] = 1;", 8),
        ("static int large[4096]; int v = large[n * 16 + 1];", 1),
        ("int own[8]; own[n & 7] = 1;", 8),
    ],
)
def test_places_that_are_many_or_without_values_have_a_path_each(body: str, paths: int, tmp_path: Path) -> None:
    program = _program(tmp_path, body)
    _, found = _searched(program)
    assert found == paths
    assert bool(program.facts().notes) is (paths > 1)


def test_where_threads_are_in_conflict_each_place_has_a_path(tmp_path: Path) -> None:
    head = "void *writer(void *p) { table[3] = 1; return 0; }"
    program = _program(tmp_path, "assert(table[n & 7] == 0);", head, "writer")
    outcome, paths = _searched(program)
    assert paths == 8
    assert [dict(each.inputs)["nondet_uchar()"] & 7 for each in outcome.found] == [3]


@pytest.mark.parametrize("write", ["int v = table[n & 7];", "table[n & 7] = 1;"])
def test_a_race_is_found_for_the_inputs_that_have_it(write: str, tmp_path: Path) -> None:
    head = "void *writer(void *p) { table[3] = 1; return 0; }"
    outcome = explored(_program(tmp_path, write, head, "writer", races=True), "unfolding")
    assert {dict(each.inputs)["nondet_uchar()"] & 7 for each in outcome.found} == {3}
    apart = explored(_program(tmp_path, write.replace("& 7", "& 3 | 4"), head, "writer", races=True), "unfolding")
    assert not apart.found


def test_assertions_are_checked_at_each_level_of_optimisation(tmp_path: Path) -> None:
    """The compiler's driver defines NDEBUG with -O: they were not."""
    outcome = explored(opened(tmp_path, _HEAD + "int main(void) { assert(table[0]); }", "-O2"))
    assert isinstance(outcome.verdict, Violation)
    without = opened(tmp_path, _HEAD + "int main(void) { assert(table[0]); }", "-O2", "-DNDEBUG")
    assert not explored(without).found
