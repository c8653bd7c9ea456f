"""`verified` is never a false verdict on programs written to refute it (`make bench ARGS=hostile`: more of them)."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Final

import pytest
from benchmarks import effects, interruptions
from benchmarks.hostile import SAMPLES, check_folder, share
from benchmarks.native_programs import drawn, imported
from benchmarks.verdicts import INCONCLUSIVE, VERIFIED, VIOLATION, Said, get_ready
from tests.oracle.preemptive import hunt

_LONG: Final = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_SAMPLED: Final = "SAMPLED_CASES" in os.environ

#: Kits with such operations.
_INTERRUPTIBLE: Final = frozenset({"text over bytes", "counter", "user's dictionary", "annotated"})

#: Correct samples that have no answer yet.
_UNVERIFIED: Final = frozenset({"buffer_over_own_raw_file", "weak_keys_locked"})

#: ... and those of which `se-mcr` proves nothing, since they run event loops.
_WITH_LOOPS: Final = frozenset(
    {path.stem for path in (SAMPLES / "correct").glob("*.py") if "import asyncio" in path.read_text()}
)


def _is_cut(said: Said) -> bool:
    """Whether it is for want of time that there is no answer, as on a busy machine."""
    return any("time limit" in each for each in said.reasons)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn"), get_ready, (imported(),)) as processes:
        yield processes


@pytest.mark.slow
def test_samples(pool: ProcessPoolExecutor) -> None:
    """By the default strategy; some, or all under ``long``, by `se-mcr` alone."""
    every = {"auto": 6 if _SAMPLED else 1, "se-mcr": 1 if _LONG else 24 if _SAMPLED else 4}
    by_strategy = check_folder(pool, SAMPLES, ("auto", "se-mcr"), every)
    for strategy, said in by_strategy.items():
        bugs, unseen, correct = said["bugs"], said["unseen"], said["correct"]
        assert {name: each for name, each in bugs.items() if each.verdict not in (VIOLATION, INCONCLUSIVE)} == {}
        assert sum(each.verdict == VIOLATION for each in bugs.values()) >= 0.95 * len(bugs)
        assert {name: each for name, each in unseen.items() if each.verdict not in (VIOLATION, INCONCLUSIVE)} == {}
        assert {name: each for name, each in correct.items() if each.verdict not in (VERIFIED, INCONCLUSIVE)} == {}
        unverified = {name for name, each in correct.items() if each.verdict != VERIFIED and not _is_cut(each)}
        assert unverified <= _UNVERIFIED | (_WITH_LOOPS if strategy == "se-mcr" else set())


@pytest.mark.slow
def test_bounded_search_of_samples(pool: ProcessPoolExecutor) -> None:
    """`auto` proves by `icb-dpor`, too, and states its bounds as certain; alone it is hardly ever the first to end."""
    said = check_folder(pool, SAMPLES, ("icb-dpor",), {"icb-dpor": 1 if _LONG else 24 if _SAMPLED else 4})["icb-dpor"]
    for failing in ("bugs", "unseen"):
        assert {name: each for name, each in said[failing].items() if each.verdict == VERIFIED} == {}
    assert {name: each for name, each in said["correct"].items() if each.verdict == VIOLATION} == {}


@pytest.mark.slow
def test_samples_with_marked_classes(pool: ProcessPoolExecutor) -> None:
    """Calls of marked objects are single steps only where nothing shows the difference."""
    said = check_folder(pool, SAMPLES / "marked", ("ncmc",))["ncmc"]
    assert {name: each for name, each in said["bugs"].items() if each.verdict != VIOLATION} == {}
    assert {name: each for name, each in said["correct"].items() if each.verdict != VERIFIED} == {}


@pytest.mark.slow
def test_drawn_programs(pool: ProcessPoolExecutor) -> None:
    first, second = pool.map(share, (1000, 1010), (10, 10), (4, 4))
    first.add(second)
    assert first.programs > 15
    assert (first.false_verified, first.false_violation, first.crashes) == ([], [], [])


@pytest.mark.slow
def test_drawn_operations(pool: ProcessPoolExecutor) -> None:
    """Operations that look at an object, or change it, are seen (`make bench ARGS=effects`: more of them)."""
    held = [each for part in pool.map(effects.share, (0, 500, 1000, 1500), (6, 6, 6, 6)) for each in part]
    assert len(held) > 20
    assert [each for each in held if each.wrong] == []


@pytest.mark.slow
def test_interruptible_operations(pool: ProcessPoolExecutor) -> None:
    """Operations that another thread can interrupt are no single steps (`make bench ARGS=interruptions`: all kits)."""
    kits = [number for number, kit in enumerate(interruptions.ALL_KITS) if kit.name in _INTERRUPTIBLE]
    held = [each for part in pool.map(interruptions.share, kits, [3] * len(kits)) for each in part]
    assert len(held) > len(_INTERRUPTIBLE)
    assert [each for each in held if each.wrong] == []


def test_a_drawn_program_is_the_same_each_time() -> None:
    for number in range(5):
        assert drawn(number) == drawn(number)


@pytest.mark.parametrize("name", ["shared_generator", "method_rebound"])
def test_oracle_shows_failures(name: str) -> None:
    assert hunt(SAMPLES / "bugs" / f"{name}.py", 300, until=10.0) is not None


@pytest.mark.parametrize("name", ["locked_counter", "indivisible_count"])
def test_oracle_shows_none_where_none_is(name: str) -> None:
    assert hunt(SAMPLES / "correct" / f"{name}.py", 20) is None


def test_oracle_sees_a_deadlock() -> None:
    assert hunt(SAMPLES / "bugs" / "event_cleared.py", 100, seconds=1.0) is not None
