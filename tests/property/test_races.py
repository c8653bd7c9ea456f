"""Races predicted from runs are exactly those of the oracle once everything has been explored, and each one is real."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import pytest
from tests.drawn import some_of
from tests.oracle.enumerate import TooLarge, interleavings
from tests.oracle.generate import random_program
from tests.oracle.program import OracleProgram
from tests.oracle.races import races

from mazurka.explore.explorer import Explorer
from mazurka.predict.races import RacePredictor
from mazurka.program.protocol import Plan, Program, Run
from mazurka.program.races import races_of
from mazurka.trace.event import Location
from mazurka.trace.trace import trace_of
from mazurka.witness import objections

_PROGRAMS = {"long": 3000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), some_of(120))
_SHARE = some_of(60)
_STATES = 4_000


@dataclass
class _Watched(Program):
    """A small program whose runs report the races that they show."""

    program: Any

    def execute(self, plan: Plan) -> Run:
        run: Run = self.program.execute(plan)
        if run.divergence is None:
            run.failures += races_of(run, self.location)
        return run

    def location(self, site: int) -> Location | None:
        return Location("oracle", site) if site else None

    def identity(self) -> str:
        return "small"

    def close(self) -> None:
        return


def _small(seed: int, plain: bool = False) -> Any:
    """A generated program that the oracle can search, with its answer."""
    program = random_program(seed, conditions=not plain, semaphores=not plain and bool(seed % 2))
    try:
        assert interleavings(program, _STATES) <= _STATES
        return program, races(program, _STATES)
    except (TooLarge, RecursionError, AssertionError):
        return None


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["mcr", "dpor"])
@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_a_complete_search_tells_exactly_the_races_there_are(first: int, strategy: str) -> None:
    racing = predicted = 0
    for small in filter(None, map(_small, range(first, first + _SHARE))):
        program, expected = small
        explorer = Explorer(_Watched(OracleProgram(program)), strategy, stop_at_first=False, races=True)
        outcome = explorer.run()
        assert outcome.complete
        told = {
            tuple(sorted((found.failure.location.line, found.failure.against.line)))
            for found in outcome.found
            if found.failure.is_race and found.failure.location and found.failure.against
        }
        assert told == expected
        racing += len(expected)
        predicted += explorer.seen.predicted
        assert explorer.seen.unasked == 0
    assert racing >= predicted > _SHARE // 4


@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_every_prediction_from_one_run_is_a_race_with_a_witness(first: int) -> None:
    """Without conditions, whose notifications the checker wants in the order of the run, and without semaphores, of
    which the oracle's runs do not tell the count."""
    predictions = 0
    for small in filter(None, (_small(seed, plain=True) for seed in range(first, first + _SHARE))):
        program, expected = small
        run = OracleProgram(program).execute(Plan())
        trace = trace_of(run.tasks, run.log)
        for prediction in RacePredictor().predict(trace):
            one, other = (trace.site[row] for row in prediction.rows)
            assert tuple(sorted((one, other))) in expected
            assert objections(trace, prediction.witness) == []
            predictions += 1
    assert predictions > _SHARE // 4
