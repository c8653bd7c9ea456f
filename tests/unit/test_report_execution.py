"""The whole execution in a finding, and the events that make its failure up, on a small run written by hand."""

from __future__ import annotations

from mazurka.program.protocol import BlockedThread, Failure, FailureKind, Run, Step
from mazurka.report.execution import events_of, execution_of
from mazurka.report.finding import FindingEvent, HeldLock
from mazurka.trace.event import Location, Op
from mazurka.trace.targets import Target

_A: Target = ("lock", "a")
_B: Target = ("lock", "b")
_X: Target = ("a", 1, "x")


class _Program:
    """The program that the sites of the run belong to."""

    def location(self, site: int) -> Location | None:
        return Location("program.py", site)


def _run(*steps: tuple[int, Op, Target, str | None]) -> Run:
    log = [Step(task, op, target, line, True, value) for line, (task, op, target, value) in enumerate(steps, 1)]
    return Run(["0", "0.1", "0.2"], log, [], names={_A: "a", _B: "b", _X: "o.x"})


def _told(run: Run, failure: Failure) -> tuple[tuple[FindingEvent, ...], tuple[FindingEvent, ...]]:
    execution = execution_of(run, failure, _Program())  # type: ignore[arg-type]  # it is asked for places only
    return execution, events_of(run, failure, execution)


def test_all_steps_up_to_the_failure_are_kept() -> None:
    run = _run((1, Op.READ, _X, "0"), (2, Op.WRITE, _X, "1"), (0, Op.READ, _X, "1"), (2, Op.WRITE, _X, "2"))
    execution, (event,) = _told(run, Failure(FailureKind.ASSERTION, "no", "0", Location("program.py", 9), "E", step=3))
    assert [(each.number, each.thread, each.operation, each.target, each.value) for each in execution] == [
        (1, "0.1", "reads", "o.x", "0"),
        (2, "0.2", "writes", "o.x", "1"),
        (3, "0", "reads", "o.x", "1"),
    ]
    assert [each.location for each in execution] == [Location("program.py", line) for line in (1, 2, 3)]
    assert event == FindingEvent(4, "0", "fails with", "E", Location("program.py", 9))


def test_a_race_is_made_up_of_its_two_accesses() -> None:
    lock = (1, Op.ACQUIRE, _A, None)
    run = _run(
        (2, Op.ACQUIRE, _B, None), (2, Op.RELEASE, _B, None), lock, (1, Op.READ, _X, "0"), (2, Op.WRITE, _X, "1")
    )
    race = Failure(FailureKind.RACE, "race", "0.2", Location("program.py", 5), step=5)
    _, events = _told(run, race)
    assert [(each.number, each.operation, each.held) for each in events] == [
        (4, "reads", (HeldLock("a", 3),)),
        (5, "writes", ()),
    ]


def test_a_deadlock_is_made_up_of_what_each_thread_waits_for() -> None:
    run = _run(
        (1, Op.ACQUIRE, _A, None),
        (1, Op.ACQUIRE, _X, None),
        (1, Op.RELEASE, _X, None),
        (2, Op.ACQUIRE, _B, None),
        (2, Op.ACQUIRE, _B, None),  # once more, and given back once
        (2, Op.RELEASE, _B, None),
    )
    stuck = (BlockedThread("0.1", "Lock b", "0.2", None), BlockedThread("0.2", "Lock a", "0.1", None))
    _, events = _told(run, Failure(FailureKind.DEADLOCK, "stuck", "0.1", None, waiting=stuck, step=6))
    assert [(each.number, each.thread, each.operation, each.target, each.held) for each in events] == [
        (7, "0.1", "waits for", "Lock b", (HeldLock("a", 1),)),
        (7, "0.2", "waits for", "Lock a", (HeldLock("b", 4),)),
    ]
