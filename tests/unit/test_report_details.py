"""The details of a failing execution, on small runs written by hand: arrows, locks held, steps in conflict."""

from __future__ import annotations

from typing import cast

from mazurka.program.protocol import BlockedThread, Failure, FailureKind, Program, Run, Step
from mazurka.report.detailing import details_of
from mazurka.report.details import Arrow, Details, OrderReason
from mazurka.report.execution import execution_of
from mazurka.report.relevance import relevance
from mazurka.report.trail import Trail
from mazurka.trace.event import Location, Op
from mazurka.trace.targets import Target

_A: Target = ("lock", "a")
_B: Target = ("lock", "b")
_X: Target = ("a", 1, "x")
_Y: Target = ("a", 1, "y")


class _Program:
    """The program that the sites of the runs belong to."""

    def location(self, site: int) -> Location | None:
        return Location("program.py", site)


def _details(failure: Failure, *steps: tuple[int, Op, Target, str | None]) -> Details:
    log = [Step(task, op, target, line, True, value) for line, (task, op, target, value) in enumerate(steps, 1)]
    run = Run(["0", "0.1", "0.2"], log, [], names={_A: "a", _B: "b", _X: "o.x", _Y: "o.y"}, labels={1: "one", 2: "two"})
    program = cast(Program, _Program())  # it is asked for places only
    trail = Trail(run, failure)
    return details_of(trail, relevance(trail, program), execution_of(run, failure, program))


def _failed(step: int) -> Failure:
    return Failure(FailureKind.ASSERTION, "no", "0", Location("program.py", step), "AssertionError", step=step)


def test_values_and_locks_are_handed_over_between_threads() -> None:
    details = _details(
        _failed(7),
        (1, Op.ACQUIRE, _A, None),
        (1, Op.WRITE, _X, "1"),
        (1, Op.READ, _X, "1"),
        (1, Op.RELEASE, _A, None),
        (2, Op.ACQUIRE, _A, None),
        (2, Op.READ, _X, "1"),
        (0, Op.READ, _X, "1"),
    )
    assert details.arrows == (
        Arrow(4, 5, OrderReason.LOCK, "a"),
        Arrow(2, 6, OrderReason.READ, "o.x"),
        Arrow(2, 7, OrderReason.READ, "o.x"),
    )
    assert [each.held for each in details.facts] == [(), ("a",), ("a",), ("a",), (), ("a",), ()]
    assert [each.operation for each in details.facts[:4]] == ["acquire", "write", "read", "release"]
    assert details.facts[0].target == details.facts[3].target != details.facts[1].target
    assert dict(details.labels) == {"0": "main", "0.1": "one", "0.2": "two"}


def test_a_lock_that_is_acquired_twice_is_held_until_it_is_released_twice() -> None:
    details = _details(
        _failed(5),
        (1, Op.ACQUIRE, _A, None),
        (1, Op.ACQUIRE, _A, None),
        (1, Op.RELEASE, _A, None),
        (1, Op.RELEASE, _A, None),
        (0, Op.READ, _X, "0"),
    )
    assert [each.held for each in details.facts[:4]] == [(), ("a",), ("a",), ("a",)]


def test_a_notification_before_the_wait_hands_nothing_over() -> None:
    condition: Target = ("cond", "c")
    details = _details(
        _failed(3), (1, Op.NOTIFY, condition, None), (2, Op.WAIT, condition, None), (0, Op.READ, _X, "0")
    )
    assert details.arrows == ()


def test_the_write_between_two_accesses_conflicts_with_the_second() -> None:
    details = _details(
        _failed(5),
        (1, Op.READ, _X, "0"),
        (2, Op.READ, _X, "0"),
        (2, Op.WRITE, _X, "1"),
        (1, Op.WRITE, _X, "1"),
        (0, Op.READ, _X, "1"),
    )
    assert details.conflicting == (3, 4)


def test_without_an_interruption_the_last_read_conflicts_with_its_write() -> None:
    details = _details(_failed(2), (1, Op.WRITE, _X, "1"), (0, Op.READ, _X, "1"))
    assert details.conflicting == (1, 2)


def test_threads_that_wait_have_no_steps_in_conflict() -> None:
    waiting = (BlockedThread("0.1", "b", "0.2", None), BlockedThread("0.2", "a", "0.1", None))
    failure = Failure(FailureKind.DEADLOCK, "no", "0.1", None, waiting=waiting, step=2)
    details = _details(failure, (1, Op.ACQUIRE, _A, None), (2, Op.ACQUIRE, _B, None))
    assert details.conflicting == ()
