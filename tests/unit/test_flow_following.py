"""Executions that follow recorded paths: which threads stay where, and what strategies are left with."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazurka.flow.building import opened
from mazurka.flow.following import FollowedPaths, RecordedPath
from mazurka.flow.running import Limits, record
from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import Plan, Run
from mazurka.program.settings import ProgramSettings
from mazurka.trace.targets import ASSUMPTION

#: Links a native program.
pytestmark = pytest.mark.slow

_LOOK = """
#include <pthread.h>
int shared, seen, unseen;
void *give(void *unused) { shared = 1; return 0; }
void *look(void *unused) {
    if (shared) seen = 1; else unseen = 1;
    return 0;
}
int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, give, 0);
    pthread_join(one, 0);
    pthread_create(&other, 0, look, 0);
    pthread_join(other, 0);
}
"""


def _program(folder: Path, text: str) -> tuple[CProgram, FollowedPaths]:
    """A program, and its threads' paths in a native run."""
    source = folder / "program.c"
    source.write_text(text)
    recording = record(opened(str(source), (), ()), (), str(folder / "program.flow"), Limits())
    paths = FollowedPaths(recording)
    return CProgram(str(source), (), (), ProgramSettings(), paths=paths), paths


def _swapped(paths: FollowedPaths) -> None:
    """Let the thread that looks have gone the other way."""
    names = {number: block for block, number in paths._blocks.items()}
    path = paths.threads["0.2"]
    other = {("look", 1): paths._blocks["look", 2], ("look", 2): paths._blocks["look", 1]}
    blocks = [other.get(names[each], each) for each in path.blocks]
    paths.threads["0.2"] = RecordedPath(blocks, path.ways)


def _stays(run: Run) -> list[str]:
    return [run.tasks[each.task] for each in run.blocked if each.target == ASSUMPTION]


def test_thread_on_its_path_goes_on(tmp_path: Path) -> None:
    program, paths = _program(tmp_path, _LOOK)
    run = program.execute(Plan())
    assert (_stays(run), paths.stopped(), paths.progress()) == ([], [], 1.0)
    assert all(map(paths.is_at_end, ("0", "0.1", "0.2")))


def test_thread_on_another_way_stays_and_nothing_is_a_deadlock(tmp_path: Path) -> None:
    program, paths = _program(tmp_path, _LOOK)
    _swapped(paths)
    run = program.execute(Plan())
    assert (_stays(run), run.failures) == (["0.2"], [])
    assert paths.progress() < 1
    assert not paths.is_at_end("0.2")
    paths.steers = False
    run = program.execute(Plan())
    assert (_stays(run), [run.tasks[each] for each in paths.stopped()]) == ([], ["0.2"])


def test_thread_that_had_not_begun_stays_at_its_beginning(tmp_path: Path) -> None:
    program, paths = _program(tmp_path, _LOOK)
    del paths.threads["0.2"]
    assert _stays(program.execute(Plan())) == ["0.2"]


def test_passes_that_only_read_are_left_out(tmp_path: Path) -> None:
    text = _LOOK.replace("if (shared) seen = 1; else unseen = 1;", "while (!shared); seen = 1;")
    program, paths = _program(tmp_path, text)
    look = [paths._blocks["look", number] for number in range(4)]
    pass_ = look[1:3]
    for blocks, follows in (
        ([look[0], *pass_ * 50, look[1], look[3]], False),  # here it goes round not once
        ([look[0], look[1], look[3]], True),
    ):
        paths.threads["0.2"] = RecordedPath(blocks, ((),))
        assert (_stays(program.execute(Plan())) == []) is follows
    turned = text.replace("pthread_join(one, 0);\n    pthread_create(&other", "pthread_create(&other")
    other = tmp_path / "other"
    other.mkdir()
    program, paths = _program(other, turned)
    paths.threads["0.2"] = RecordedPath([look[0], *pass_ * 50, look[1], look[3]], ((),))
    prefix = ("0.2", "0.2", "0.1", "0.2", "0.2")
    for _ in range(4):
        run = program.execute(Plan(prefix, strict=False))
    assert _stays(run) == []
    assert paths.is_at_end("0.2")
