"""``ncmc`` on programs that share builtin containers, whose operations it takes for calls: it reaches the outcomes of
``dfs``, and says which operations it took for atomic."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.drawn import some_of
from tests.later import Later
from tests.oracle.container_clients import random_client

differential = Later("benchmarks.differential")
api = Later("mazurka.api")

_PROGRAMS = 3_000 if os.environ.get("HYPOTHESIS_PROFILE", "") == "long" else some_of(30)
_SHARE = some_of(30)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_it_reaches_what_dfs_does(first: int, tmp_path: Path) -> None:
    fewer = decided = 0
    for number in range(first, first + _SHARE):
        source, plain = random_client(number)
        scenario = differential.loaded_module(source, tmp_path).scenario
        known = differential.reached(scenario, "dfs")
        if not known.complete:
            continue
        found = differential.reached(scenario, "ncmc")
        assert differential.difference(found, known) == "", (number, source)
        decided += found.complete
        fewer += plain and found.executions < known.executions
    assert decided > _SHARE * 0.6
    assert fewer > _SHARE // 4
