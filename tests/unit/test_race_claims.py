"""Which orders the witness checker believes to lead to a race, and that sections of a lock may change places."""

from __future__ import annotations

import pytest

from mazurka.predict.races import RacePredictor
from mazurka.program.protocol import Step
from mazurka.trace.conflicts import may_race
from mazurka.trace.event import Op
from mazurka.trace.trace import trace_of
from mazurka.witness import Races, Witness, objections

_X, _LOCK = ("a", 1, "x"), ("lock", 1)


def _trace(*steps):
    """``(thread, operation, target)``; the site is the number of the step, from 1."""
    return trace_of(("0", "1"), [Step(t, op, target, at, True) for at, (t, op, target) in enumerate(steps, 1)])


_LOCKED = _trace(
    (0, Op.ACQUIRE, _LOCK),
    (0, Op.WRITE, _X),
    (0, Op.RELEASE, _LOCK),
    (0, Op.WRITE, ("a", 1, "y")),
    (1, Op.ACQUIRE, _LOCK),
    (1, Op.WRITE, _X),
    (1, Op.RELEASE, _LOCK),
    (1, Op.READ, ("a", 1, "y")),
)


def test_sections_of_a_lock_may_change_places():
    assert objections(_LOCKED, Witness((4, 5, 6, 0, 1))) == []


def test_two_threads_before_accesses_of_one_place_race():
    assert objections(_LOCKED, Witness((0, 1, 2, 4, 5, 6), claim=Races(3, 7))) == []
    assert objections(_LOCKED, Witness((4, 5, 6, 0, 1, 2), claim=Races(3, 7))) == []


@pytest.mark.parametrize(
    ("order", "claim", "why"),
    [
        ((0, 1, 2, 3, 4, 5, 6), Races(3, 7), "not the next step of its thread"),
        ((0, 1, 2, 4, 5), Races(3, 7), "not the next step of its thread"),
        ((0, 4), Races(1, 5), "lock"),
        ((0, 1, 2, 4), Races(3, 5), "do not conflict"),
        ((0, 1, 2), Races(3, 3), "do not conflict"),
        ((0, 1, 2), Races(3, 99), "not the next step of its thread"),
    ],
)
def test_other_claims_are_refused(order, claim, why):
    assert why in "; ".join(objections(_LOCKED, Witness(order, claim=claim)))


def test_reads_do_not_conflict():
    trace = _trace((0, Op.READ, _X), (1, Op.READ, _X))
    assert "do not conflict" in objections(trace, Witness((), claim=Races(0, 1)))[0]


def test_only_what_no_lock_guards_is_predicted():
    predicted = [(_LOCKED.site[one], _LOCKED.site[other]) for one, other in _rows(_LOCKED)]
    assert predicted == [(4, 8)]


def _rows(trace):
    return [prediction.rows for prediction in RacePredictor().predict(trace)]


def test_what_a_read_decides_is_ordered_after_its_writer():
    flag = ("a", 1, "flag")
    trace = _trace((0, Op.WRITE, _X), (0, Op.WRITE, flag), (1, Op.READ, flag), (1, Op.READ, _X))
    assert [(trace.site[one], trace.site[other]) for one, other in _rows(trace)] == [(2, 3)]


def test_questions_that_are_not_put_are_counted():
    predictor = RacePredictor(limit=0)
    assert list(predictor.predict(_LOCKED)) == []
    assert predictor.unasked == 1


@pytest.mark.parametrize(
    ("target", "is_one"),
    [
        (("a", 1, "x"), True),
        (("i", 1, "key"), True),
        (("i", 1, ("object", 7)), True),
        (("i", 1, ("object", 0)), False),  # its own code decides equality
        (("i", 1, ("k", ("object", 0))), False),
        (("g", "module", "name"), True),
        (("s", 1), False),
        (("atomic", 1), False),
        (("lock", 1), False),
        ("x", True),  # a variable of a trace from elsewhere
    ],
)
def test_what_is_data(target, is_one):
    assert may_race(target) is is_one
