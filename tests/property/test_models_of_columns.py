"""The model of a recorded trace that NumPy makes is the one that is made row by row, except for places of one thread; a
candidate that a model of some of the rows refutes is refuted."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.oracle.random_traces import random_trace

from mazurka.causal.model import Model
from mazurka.causal.model_from_columns import model_of_columns
from mazurka.causal.model_from_trace import model_of_trace
from mazurka.causal.solver import Infeasible, Solver
from mazurka.causal.solvers import make_solver
from mazurka.predict import questions
from mazurka.predict.questions import Questions
from mazurka.trace.reading import read_trace
from mazurka.trace.trace import Trace
from mazurka.witness import Checker, Ordered, Races, Witness

_TRACES = {"long": 10_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 150)


def test_models_are_the_same() -> None:
    for seed in range(_TRACES):
        rng = random.Random(seed)
        kinds = {"branching": 1, "valued": 2, "freeing": 4, "updating": 8}
        trace = random_trace(
            rng, rng.randrange(1, 40), rng.choice((2, 3, 4)), **{name: bool(seed & bit) for name, bit in kinds.items()}
        )
        relaxed = rng.random() < 0.5
        if relaxed:  # otherwise no update is one of a program's values
            trace = replace(trace, targets=[("var", "h") if x == ("hidden", "h") else x for x in trace.targets])
        for start in (0, rng.randrange(10)):
            model = model_of_columns(trace, bool(seed & 1), start, relaxes_updates=relaxed)
            assert model is not None
            own = _places_of_one(trace)
            other = model_of_trace(trace, bool(seed & 1), start, relaxes_updates=relaxed)
            assert _told(model, own) == _told(other, own), (seed, start)


def test_conditions_are_left_to_others() -> None:
    seen = 0
    for seed in range(40):
        trace = random_trace(random.Random(seed), 30, waiting=True)
        waits = any(trace.targets[target][0] == "cond" for target in trace.target.tolist())
        assert (model_of_columns(trace) is None) == waits
        seen += waits
    assert seen


def _impatient() -> Solver:
    return make_solver("closure", limit=100)


def test_what_is_refuted_nearby_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    nearby = 0
    for seed in range(_TRACES // 3):
        rng = random.Random(seed)
        trace = random_trace(rng, 60, 4, branching=bool(seed & 1), valued=seed % 4 == 2, updating=bool(seed & 8))
        whole, quick = Questions(trace, solver=_impatient), Questions(trace, rng.choice((None, 12, 30)), _impatient)
        for _ in range(30):
            first, second = sorted(rng.sample(range(len(trace)), 2))
            claim = rng.choice((Races(first, second), Ordered((second, first))))
            if second - first > 20 or trace.thread[first] == trace.thread[second]:
                continue
            with monkeypatch.context() as patch:
                patch.setattr(questions, "_NEARBY", rng.choice((1, 3, 6)))
                answer = quick.ask(claim)
            if isinstance(answer, Infeasible):
                assert not isinstance(whole.ask(claim), Witness), (seed, claim)
                nearby += quick.window is not None  # a window alone does not refute
    assert nearby > _TRACES // 8


def test_a_thread_is_joined_after_what_nobody_notices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(questions, "_LONG", 0)
    path = tmp_path / "a.std"
    path.write_text("T0|fork(T1)|0\nT0|fork(T2)|1\nT1|w(own)|2\nT0|join(T1)|3\nT0|w(x)|4\nT2|w(x)|5\n")
    trace = read_trace(path)
    answer = Questions(trace).ask(Races(4, 5))
    assert isinstance(answer, Witness)
    assert Checker(trace).objections(answer) == []


def _places_of_one(trace: Trace) -> set[int]:
    threads: dict[int, set[int]] = {}
    for thread, target in zip(trace.thread.tolist(), trace.target.tolist(), strict=True):
        threads.setdefault(target, set()).add(thread)
    return {target for target, by in threads.items() if len(by) == 1}


def _told(m: Model, own: set[int]) -> list[Any]:
    """All that a model says, however its groups are numbered."""
    plain = [m.starts, m.thread, m.rank, m.guard, m.section_from, m.section_to, m.section_lock]
    told: list[Any] = [_ints(column) for column in plain] + [m.event_of, m.keeps, m.targets]
    for e in range(len(m.rank)):
        reads = [k for k in range(m.read_at[e], m.read_at[e + 1]) if int(m.read_target[k]) not in own]
        told.append([_read(m, k) for k in reads])
        told.append([x for x in _part(m.write, m.write_at, e) if x not in own])
        told.append(sorted(_part(m.need, m.need_at, e)))
        told += [_part(m.enter, m.enter_at, e), _part(m.leave, m.leave_at, e), _part(m.pair_first, m.pair_at, e)]
    for x in set(range(m.targets)) - own:
        told.append([_column(m.col, m.col_thread, m.col_from, m.col_to, i) for i in range(*_ints(m.col_at[x : x + 2]))])
    for lock in range(len(m.lock_at) - 1):
        for flat in (m.taken, m.taking):
            columns = range(*_ints(m.lock_at[lock : lock + 2]))
            told.append([_column(flat, m.lock_thread, m.lock_from, m.lock_to, i) for i in columns])
    return told


def _ints(column: Any) -> list[int]:
    return [int(each) for each in column]


def _part(flat: Any, at: Any, number: int) -> list[int]:
    return _ints(flat[at[number] : at[number + 1]])


def _read(m: Model, k: int) -> tuple[Any, ...]:
    group = sorted(_part(m.group, m.group_at, m.read_group[k]))
    return int(m.read_event[k]), int(m.read_target[k]), int(m.read_sync[k]), int(m.read_source[k]), group


def _column(flat: Any, thread: Any, begin: Any, end: Any, i: int) -> tuple[int, list[int]]:
    return int(thread[i]), _ints(flat[begin[i] : end[i]])
