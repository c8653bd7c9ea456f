"""The claims of explanations, the steps that they show, and those that they leave out, on small runs written by
hand."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from mazurka.program.protocol import (
    Access,
    Blocked,
    BlockedThread,
    Choice,
    Failure,
    FailureKind,
    Frame,
    Plan,
    Run,
    Step,
)
from mazurka.report.explain import explain
from mazurka.report.finding import BugShape, Explanation, Fold, Row
from mazurka.report.relevance import LIMIT
from mazurka.trace.event import Location, Op
from mazurka.trace.targets import Target

_OPS = {"r": Op.READ, "w": Op.WRITE, "u": Op.RMW, "+": Op.ACQUIRE, "-": Op.RELEASE, "wait": Op.WAIT, "n": Op.NOTIFY}


class Written:
    """A run written down as ``"thread operation target=value @line"``, and the program that its sites belong to.

    Threads are digits: 0 is the main thread. Every step is a point at which all threads could move.
    """

    def __init__(self, source: Path, *steps: str, text: str = "") -> None:
        source.write_text(text or "\n".join(f"line {number}" for number in range(1, 100)))
        self.file = str(source)
        self.run = Run(["0", "0.1", "0.2", "0.3"], [], [])
        for number, written in enumerate(steps):
            thread, operation, what, line = written.split()
            name, _, value = what.partition("=")
            target = self.target(operation, name)
            step = Step(int(thread), _OPS[operation], target, int(line[1:]), True, value or None)
            self.run.log.append(step)
            self.run.names[target] = name
            self.run.choices.append(Choice(number, int(thread), (0, 1, 2, 3)))

    def target(self, operation: str, name: str) -> Target:
        if operation in ("+", "-"):
            return ("lock", name)
        return ("cond", name) if operation in ("wait", "n") else ("a", 1, name)

    def place(self, line: int) -> Location:
        return Location(self.file, line, 0, "work")

    def fails(self, thread: int, line: int, exception: str = "AssertionError", message: str = "") -> Explanation:
        kind = FailureKind.ASSERTION if exception == "AssertionError" else FailureKind.EXCEPTION
        place = self.place(line)
        failure = Failure(
            kind,
            f"{exception}: {message}",
            self.run.tasks[thread],
            place,
            exception,
            (Frame(place, ""),),
            step=len(self.run.log),
        )
        return explain(self.run, failure, self)

    def stuck(self, kind: FailureKind, *waiting: tuple[int, str, int | None, int]) -> Explanation:
        names = self.run.tasks
        told = []
        for thread, what, holder, line in waiting:
            target = ("lock", what) if holder is not None else ("cond", what)
            self.run.blocked.append(Blocked(thread, Op.ACQUIRE, target, line))
            held_by = None if holder is None else names[holder]
            told.append(BlockedThread(names[thread], what, held_by, self.place(line), None))
        first = told[0]
        failure = Failure(kind, "stuck", first.thread, first.location, waiting=tuple(told), step=len(self.run.log))
        return explain(self.run, failure, self)

    # -- the program that the sites belong to

    def execute(self, plan: Plan) -> Run:
        assert plan
        return self.run

    def location(self, site: int) -> Location | None:
        return self.place(site)

    def identity(self) -> str:
        return "written"

    def close(self) -> None:
        """Nothing is held."""


def _shown(explanation: Explanation) -> list[str]:
    return [f"{row.thread}: {', '.join(row.what)}" for row in explanation.rows if isinstance(row, Row)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tmp_path / "program.py"


def test_lost_update(source: Path) -> None:
    run = Written(source, "1 r x=0 @3", "2 r x=0 @3", "2 w x=1 @4", "1 w x=1 @4", "0 r x=1 @9")
    told = run.fails(0, 9)
    assert told.shape is BugShape.LOST_UPDATE
    assert told.sentence.startswith("Lost update: thread 0.1 reads x = 0; before it writes that back, thread 0.2 reads")
    assert _shown(told) == [
        "0.1: reads x = 0",
        "0.2: reads x = 0",
        "0.2: writes x = 1",
        "0.1: writes x = 1",
        "0: reads x = 1",
        "0: raises AssertionError:",
    ]


def test_a_serial_order_is_no_lost_update(source: Path) -> None:
    run = Written(source, "1 r x=0 @3", "1 w x=1 @4", "2 r x=1 @3", "2 w x=2 @4", "0 r x=2 @9")
    assert run.fails(0, 9).shape is None


def test_a_write_after_a_fresh_look_is_no_lost_update(source: Path) -> None:
    run = Written(source, "1 r x=0 @3", "2 r x=0 @3", "2 w x=1 @4", "1 r x=1 @4", "1 w x=2 @4", "0 r x=2 @9")
    assert run.fails(0, 9).shape is not BugShape.LOST_UPDATE


def test_overwriting_what_others_wrote_blindly_is_no_lost_update(source: Path) -> None:
    run = Written(source, "1 r x=0 @3", "2 w x=5 @6", "1 w x=1 @4", "0 r x=1 @9")
    assert run.fails(0, 9).shape is not BugShape.LOST_UPDATE


def test_check_then_act_that_fails(source: Path) -> None:
    run = Written(source, "1 r d['k']=1 @3", "2 w d['k'] @7", "1 r d['k']=nothing @4")
    told = run.fails(1, 4, "KeyError", "'k'")
    assert told.shape is BugShape.CHECK_THEN_ACT
    assert "thread 0.1 looks at d['k'] = 1" in told.sentence
    assert "thread 0.2 changes it" in told.sentence


def test_check_then_act_needs_a_decision(source: Path) -> None:
    steps = ("1 r n=0 @1", "2 w n=1 @5", "1 r n=1 @2", "1 w n=2 @2", "0 r n=2 @9")
    deciding = "if n > 0:\n    n = n + 1\n" + "x\n" * 20
    assert Written(source, *steps, text=deciding).fails(0, 9).shape is BugShape.CHECK_THEN_ACT
    plain = "y = n\nn = n + 1\n" + "x\n" * 20
    other = source.with_name("other.py")
    assert Written(other, *steps, text=plain).fails(0, 9).shape is BugShape.ATOMICITY


def test_order_violation(source: Path) -> None:
    run = Written(source, "1 r x=nothing @3", "2 w x=1 @8")
    told = _fails_at(run, 1, 1, 3, "AttributeError")
    assert told.shape is BugShape.ORDER_VIOLATION
    assert told.sentence == "Order violation: thread 0.1 uses x before thread 0.2 has set it (program.py:8)."


def test_what_nobody_sets_is_no_order_violation(source: Path) -> None:
    assert _fails_at(Written(source, "1 r x=nothing @3"), 1, 1, 3, "AttributeError").shape is None


def test_unsafe_publication(source: Path) -> None:
    run = Written(source, "2 w items @7", "1 r items @2", "1 r pos=nothing @3", "2 w pos=1 @8")
    told = _fails_at(run, 3, 1, 3, "AttributeError")
    assert told.shape is BugShape.UNSAFE_PUBLICATION
    assert "thread 0.2 makes the object visible through items before it has set pos" in told.sentence


def _fails_at(run: Written, step: int, thread: int, line: int, exception: str) -> Explanation:
    """A failure after which the run goes on."""
    place = run.place(line)
    failure = Failure(
        FailureKind.EXCEPTION, exception, run.run.tasks[thread], place, exception, (Frame(place, ""),), step=step
    )
    return explain(run.run, failure, run)


def test_iteration_invalidated(source: Path) -> None:
    run = Written(source, "1 r d @3", "2 u d @7", "1 r d @3")
    told = run.fails(1, 3, "RuntimeError", "dictionary changed size during iteration")
    assert told.shape is BugShape.ITERATION
    assert "thread 0.1 iterates over d" in told.sentence


def test_lock_order_deadlock(source: Path) -> None:
    run = Written(source, "1 + a @2", "2 + b @5", "3 r x @9")
    told = run.stuck(FailureKind.DEADLOCK, (1, "b", 2, 3), (2, "a", 1, 6))
    assert told.shape is BugShape.LOCK_ORDER
    assert told.sentence == (
        "Lock-order deadlock: thread 0.1 holds a and waits for b; thread 0.2 holds b and waits for a."
    )
    assert _shown(told) == [
        "0.1: acquires a",
        "0.2: acquires b",
        "0.1: waits for b",
        "0.2: waits for a",
    ]
    assert [column.thread for column in told.columns] == ["0.1", "0.2"]


def test_self_deadlock(source: Path) -> None:
    told = Written(source, "1 + a @2").stuck(FailureKind.DEADLOCK, (1, "a", 1, 3))
    assert told.shape is BugShape.SELF_DEADLOCK
    assert _shown(told) == ["0.1: acquires a", "0.1: waits for a"]


def test_lost_wake_up(source: Path) -> None:
    run = Written(source, "2 n c @7", "1 wait c @3")
    told = run.stuck(FailureKind.BLOCKED, (1, "a notification of c", None, 3))
    assert told.shape is BugShape.LOST_WAKE_UP
    assert told.sentence.startswith("Lost wake-up: thread 0.2 notifies c before any thread waits on it")


def test_waiting_without_a_notification_is_no_lost_wake_up(source: Path) -> None:
    told = Written(source, "1 wait c @3").stuck(FailureKind.BLOCKED, (1, "a notification of c", None, 3))
    assert told.shape is None
    assert "thread 0.1 waits for a notification of c" in told.sentence


def test_threads_that_do_not_matter_have_no_column(source: Path) -> None:
    noise = ["3 w z @9", "3 r z @9"] * 6
    mixed = ["1 r x=0 @3", *noise, "2 r x=0 @3", "2 w x=1 @4", *noise, "1 w x=1 @4", "0 r x=1 @9"]
    told = Written(source, *mixed).fails(0, 9)
    assert [column.thread for column in told.columns] == ["0", "0.1", "0.2"]
    folds = [row for row in told.rows if isinstance(row, Fold)]
    assert sum(fold.count for fold in folds) == 2 * len(noise)
    assert all(label == "thread 0.3" for fold in folds for label, _ in fold.steps)


def test_rows_are_in_the_order_of_the_run_and_few(source: Path) -> None:
    steps = list(
        itertools.chain.from_iterable(
            [f"{t} r x{n % 5}=0 @3", f"{t} w x{n % 7}=1 @4"] for n in range(60) for t in (1, 2)
        )
    )
    told = Written(source, *steps, "0 r x1=1 @9").fails(0, 9)
    rows = [row for row in told.rows if isinstance(row, Row)]
    numbers = [row.step for row in rows]
    assert numbers == sorted(numbers)
    assert len(rows) <= LIMIT + 1


def test_the_switch_is_explained(source: Path) -> None:
    run = Written(source, "1 r x=0 @3", "2 r x=0 @3", "2 w x=1 @4", "1 w x=1 @4", "0 r x=1 @9")
    notes = [row.note for row in run.fails(0, 9).rows if isinstance(row, Row) and row.note]
    assert notes[0] == "thread 0.2 runs between the read and write of thread 0.1"


def test_a_step_in_a_library_shows_the_line_that_led_there(tmp_path: Path) -> None:
    library = tmp_path / "site-packages" / "pkg"
    library.mkdir(parents=True)
    run = Written(library / "mod.py", "1 r x=0 @3", "2 w x=1 @4", "1 r x=1 @5")
    user = Frame(Location(str(tmp_path / "prog.py"), 12, 0, "main"), "go()")
    inner = Frame(run.place(3), "")
    run.run.stacks[0] = (user, inner)
    rows = [row for row in run.fails(1, 5).rows if isinstance(row, Row)]
    assert rows[0].caller == user


def test_further_accesses_of_a_step_count(source: Path) -> None:
    run = Written(source, "1 r d @3", "2 r e @7", "1 w f @4")
    run.run.log[1] = run.run.log[1]._replace(more=(Access(Op.WRITE, ("a", 1, "d")),))
    told = run.fails(1, 3)
    assert "0.2: reads e" in _shown(told)


@pytest.mark.parametrize("kind", FailureKind)
def test_every_kind_of_failure_is_explained_whatever_is_missing(kind: FailureKind, source: Path) -> None:
    run = Written(source, "1 r x=0 @3", "2 w x=1 @4")
    for failure in (
        Failure(kind, "", "0", None),
        Failure(kind, "it failed", "0.9", None, step=1),
        Failure(
            kind, "it failed", "0.1", run.place(3), waiting=(BlockedThread("0.1", "something", "0.7", None),), step=99
        ),
    ):
        told = explain(run.run, failure, run)
        assert told.sentence
        last = told.rows[-1]
        assert isinstance(last, Row)
        assert last.failing


def test_a_failure_of_one_thread_alone_blames_no_order(source: Path) -> None:
    alone = Written(source, "0 w x=1 @3").fails(0, 9)
    assert alone.sentence == "main fails before any other thread has taken a step."
    beside = Written(source, "0 w x=1 @3", "1 w y=2 @5").fails(0, 9)
    assert beside.sentence == "main fails in the order below."


def test_threads_that_wait_for_ever_after_a_failure_are_named(source: Path) -> None:
    run = Written(source, "0 w x=1 @3", "1 w y=2 @5")
    waiting = (BlockedThread("0", "an item in Queue `answers`", None, None),)
    run.run.failures.append(Failure(FailureKind.BLOCKED, "stuck", "0", None, waiting=waiting, step=2))
    told = run.fails(1, 9)
    assert told.sentence == (
        "thread 0.1 fails in the order below. After that, main waits for ever for an item in Queue `answers`."
    )


def test_a_run_of_nothing_is_explained(source: Path) -> None:
    told = explain(Run(["0"], [], []), Failure(FailureKind.EXIT, "exit", "0", None), Written(source))
    assert len(told.rows) == 1
