"""The advice on inconclusive checks: the cause, and a command that does something about it."""

from __future__ import annotations

from typing import Any

import pytest

from mazurka.config import Options
from mazurka.explore.bounded import EXPIRED
from mazurka.explore.coverage import Bounded, Cause, Coverage, Pairs, Sampled
from mazurka.explore.outcome import Inconclusive, Outcome, Verified
from mazurka.program.protocol import ENTERED
from mazurka.report.coverage import CauseOfOrders, CoverageReport
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber
from mazurka.trace.targets import Kind
from mazurka.workflows.advice import advice_on
from mazurka.workflows.covering import coverage_of
from mazurka.workflows.program_spec import PYTHON, RUNNER, ProgramSpec, loading_of

_LIMIT = "the time limit of 60 s was reached"
_COVERED = CoverageReport(2, 1011, causes=(CauseOfOrders("takes the lock", "svc.py:40", 0.61),))


def _outcome(reason: str, **fields: Any) -> Outcome:
    return Outcome(Inconclusive(reason), "mcr", 1432, 60.2, fields.pop("complete", False), threads=3, **fields)


def _advice(outcome: Outcome, coverage: CoverageReport | None = None, **settings: Any) -> str:
    options = Options(**settings)
    return advice_on(outcome, coverage, ProgramSpec("svc.py", ("4", "a b"), loading_of(options)), options)


def test_a_large_program() -> None:
    assert _advice(_outcome(_LIMIT), _COVERED) == (
        "61 % of the orders differ only in which thread takes the lock first at svc.py:40; go on to 3 preemptions: "
        "mazurka check svc.py --require preemptions=3 --time-limit 240 -- 4 'a b'"
    )


@pytest.mark.parametrize(
    ("outcome", "settings", "expected"),
    [
        (_outcome(_LIMIT), {}, "go on: mazurka check svc.py --time-limit 240"),
        (
            _outcome("the limit of 20 executions was reached"),
            {"max_executions": 20, "memory_model": "tso", "include": ("a", "b")},
            "go on: mazurka check svc.py --memory-model tso --include a --include b --max-executions 80",
        ),
        (_outcome("the run was cut after 100000 steps"), {}, "let it go on: mazurka check svc.py --max-steps 400000"),
        (
            _outcome("...", complete=True, untracked={f"{ENTERED}yaml (add --include yaml)": 3}),
            {},
            "threads enter yaml, which is not explored; explore it, too: mazurka check svc.py --include yaml",
        ),
        (
            _outcome(_LIMIT, untracked={f"{ENTERED}attr (add --include attr)": 3}),
            {"include": ("jsonschema",)},
            "explore it, too: mazurka check svc.py --include jsonschema --include attr",
        ),
        (_outcome(EXPIRED, complete=True), {}, "timeouts fire; execute every order"),
        (_outcome("pos samples", exhaustive=False), {"strategy": "pos"}, "too: mazurka check svc.py -- 4"),
        (
            _outcome("...", complete=True, untracked={"a weak reference at weakref.py:113": 7, "a file at b.py:1": 2}),
            {},
            "a weak reference at weakref.py:113 can't be tracked, so nothing can be proved; look for bugs only",
        ),
        (_outcome("...", complete=True, uncontrolled={"time.time": 1}), {}, "time.time can't be controlled"),
    ],
)
def test_causes(outcome: Outcome, settings: dict[str, Any], expected: str) -> None:
    assert expected in _advice(outcome, **settings)


def test_none_where_there_is_nothing_to_advise() -> None:
    assert not _advice(Outcome(Verified("all"), "mcr", 4, 0.1, True, threads=2))
    assert not _advice(Outcome(Inconclusive("no threads"), "mcr", 1, 0.1, True, threads=1))


def test_a_caller_in_python_gets_settings() -> None:
    subject = ProgramSpec("f", (), {RUNNER: PYTHON})
    assert advice_on(_outcome(_LIMIT), None, subject, Options()).endswith("go on: time_limit=240.0")


def test_a_bound_is_stated_of_tracked_executions_only() -> None:
    cause = Cause(Op.ACQUIRE, Kind.LOCK.tag, SiteNumber(40), 0.5)
    same = Cause(Op.ACQUIRE, Kind.HANDED.tag, SiteNumber(40), 0.25)
    pairs = Pairs(2, 1, ((SiteNumber(3), SiteNumber(4)),))
    found = Coverage(Bounded(1, 30), pairs, pairs, Sampled(8, 0.25, 3, 20), (cause, same))

    def place(site: SiteNumber) -> str:
        return f"svc.py:{site}"

    covered = coverage_of(_outcome(_LIMIT, coverage=found), place)
    assert covered is not None
    assert (covered.preemptions, covered.orders) == (1, 30)
    assert covered.causes == (CauseOfOrders("takes the lock", "svc.py:40", 0.75),)
    assert covered.sections is not None
    assert covered.sections.in_one_order == (("svc.py:3", "svc.py:4"),)
    assert covered.sentences() == [
        "covered for certain: every order with up to 1 preemption (30 executions)",
        "executed in both orders: 1 of 2 pairs of conflicting accesses, 1 of 2 pairs of critical sections",
        "covered probably: 8 random executions find a bug of depth 2 with a probability of at least 25 %",
    ]
    for doubt in ({"untracked": {"x": 1}}, {"uncontrolled": {"x": 1}}, {"asked": True}):
        unsure = coverage_of(_outcome(_LIMIT, coverage=found, **doubt), place)
        assert unsure is not None
        assert unsure.preemptions is None
        assert not unsure.covers(0)
    assert coverage_of(_outcome(_LIMIT), place) is None
