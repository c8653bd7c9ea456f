"""The exploration tree in JSON reports: the executions of a search, the forks, and the threads not tried there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests import preloaded

from mazurka.explore.explored_paths import MOST

_PROGRAM = """\
import threading

x = y = 0

def one():
    global x
    x = 1
    if y:
        assert not {failing}

def two():
    global y
    y = 1
    x

def three():
    global x
    x = 2

threads = [threading.Thread(target=each) for each in (one, two, three){many}]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def _search(folder: Path, strategy: str, *options: str, failing: bool = False, many: str = "") -> tuple[Any, int]:
    """The tree of a search, and the number of its executions."""
    (folder / "app.py").write_text(_PROGRAM.format(failing=failing, many=many))
    command = ["check", "app.py", "--strategy", strategy, "--format", "json", "--timing", "0", "--no-save", *options]
    done = preloaded.run(command, folder, preloaded.environment(), 60)
    report = json.loads(done.stdout)
    return report["search"]["tree"], report["executions"]


def _paths(tree: Any) -> dict[int, tuple[tuple[str, ...], ...]]:
    """The steps of each execution, by its number."""
    paths = {}
    for node in tree["nodes"]:
        if node["execution"] is not None:
            steps, at = node["steps"], node["parent"]
            while at >= 0:
                steps, at = tree["nodes"][at]["steps"] + steps, tree["nodes"][at]["parent"]
            paths[node["execution"]] = tuple(map(tuple, steps))
    return paths


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr", "auto", "se-mcr", "icb", "icb-dpor"])
def test_the_tree_has_each_execution_once(tmp_path: Path, strategy: str) -> None:
    tree, executions = _search(tmp_path, strategy, "--jobs", "1")
    assert tree["executions"] <= executions
    paths = _paths(tree)
    assert sorted(paths) == list(range(1, tree["executions"] + 1))
    assert max(Counter(paths.values()).values()) == 1 or strategy in ("se-mcr", "icb-dpor", "icb")
    for index, node in enumerate(tree["nodes"]):
        children = [each for each in tree["nodes"] if each["parent"] == index]
        first = [tuple(child["steps"][0]) for child in children if child["steps"]]
        assert len(set(first)) == len(first)
        moving = {step[0] for step in first}
        assert (len(children) > 1) is (node["execution"] is None)
        if len(moving) > 1:
            assert moving | set(node["asleep"]) <= set(node["enabled"])
            assert not moving & set(node["asleep"])


def test_every_thread_that_can_move_is_tried_by_dfs(tmp_path: Path) -> None:
    tree, executions = _search(tmp_path, "dfs", "--jobs", "1")
    assert tree["whole"]
    assert tree["executions"] == executions
    forks = [(index, node) for index, node in enumerate(tree["nodes"]) if node["execution"] is None]
    assert forks
    for index, node in forks:
        moving = {child["steps"][0][0] for child in tree["nodes"] if child["parent"] == index}
        assert moving == set(node["enabled"])
        assert node["asleep"] == []


def test_dpor_leaves_out_sleeping_threads(tmp_path: Path) -> None:
    tree, executions = _search(tmp_path, "dpor", "--jobs", "1")
    whole, _ = _search(tmp_path, "dfs", "--jobs", "1")
    assert tree["whole"]
    assert tree["executions"] == executions < whole["executions"]
    assert set(_paths(tree).values()) <= set(_paths(whole).values())
    left_out = [
        set(node["enabled"]) - {child["steps"][0][0] for child in tree["nodes"] if child["parent"] == index}
        for index, node in enumerate(tree["nodes"])
        if node["execution"] is None
    ]
    assert any(left_out)


def test_failures_are_marked(tmp_path: Path) -> None:
    tree, _ = _search(tmp_path, "dfs", "--all-failures", "--jobs", "1", failing=True)
    failing = [node for node in tree["nodes"] if node["failing"]]
    assert failing
    assert {node["ending"] for node in failing} == {"AssertionError"}


def test_of_a_long_search_the_first_executions_are_kept(tmp_path: Path) -> None:
    tree, executions = _search(tmp_path, "dfs", "--max-executions", "400", "--jobs", "1", many=" * 2")
    assert executions == 400
    assert tree["executions"] == MOST
    assert not tree["whole"]
