"""Calls of cached functions that only compute: on random programs, and with these calls as no steps, searches reach the
outcomes that ``dfs`` reaches where each call is a step. See tests/oracle/cached_programs.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.oracle.cached_programs import drawn_with_caches
from tests.oracle.shown_outcomes import explored

from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics.result_caches import _Cache

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 600 if _LONG else 16


@pytest.fixture(autouse=True)
def _forget_earlier_programs() -> None:
    """Earlier programs of this process may compare objects by identity."""
    sites.comparing_identity.clear()


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["dpor", "mcr"])
def test_the_outcomes_are_those_of_calls_that_are_steps(
    strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = before = after = 0
    for number in range(_PROGRAMS):
        path = tmp_path / f"cached_{number}.py"
        path.write_text(drawn_with_caches(number))
        sites.comparing_identity.clear()
        with monkeypatch.context() as patched:
            patched.setattr(_Cache, "computes", lambda *_: False)
            all_shown, by_dfs = explored(path, "dfs")
        if not by_dfs.complete:
            continue
        shown, outcome = explored(path, strategy)
        assert shown.keys() == all_shown.keys(), number
        compared, before, after = compared + 1, before + by_dfs.executions, after + outcome.executions
    assert compared > _PROGRAMS // 3
    assert after < before / 2


_FIBONACCI = """\
import functools
import threading


@functools.lru_cache(maxsize=2)
def fibonacci(number):
    return number if number < 2 else fibonacci(number - 1) + fibonacci(number - 2)


threads = [threading.Thread(target=fibonacci, args=(number,)) for number in (4, 3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(fibonacci(5))
"""


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "icb-dpor", "mcr", "se-mcr"])
def test_a_cache_that_throws_results_out_makes_no_orders(strategy: str, tmp_path: Path) -> None:
    path = tmp_path / "fibonacci.py"
    path.write_text(_FIBONACCI)
    shown, outcome = explored(path, strategy)
    assert outcome.complete
    assert outcome.executions == 1  # more than 4,500 before
    assert {output for output, _ in shown} == {"5\n"}


@pytest.mark.parametrize(("deepest", "is_step"), [(30, False), (60, True)])
def test_a_call_that_may_be_too_deep_is_a_step(deepest: int, is_step: bool, tmp_path: Path) -> None:
    """Whether the stack suffices may depend on what others have computed."""
    path = tmp_path / "deep.py"
    path.write_text(_FIBONACCI.replace("maxsize=2", "maxsize=None").replace("(4, 3)", f"({deepest}, 20)"))
    _, outcome = explored(path, "dpor")
    assert (outcome.executions > 1) == is_step
