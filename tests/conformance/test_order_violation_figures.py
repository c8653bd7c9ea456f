"""The worked examples of order violations of the thesis, chapter 3."""

from __future__ import annotations

from tests.later import Later

from mazurka.commute.access_points import translated
from mazurka.commute.registry import specification
from mazurka.order.edc import Actions, ExtendedDoesntCommute, Reversible, candidates, read_write
from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.invocations import method_target, recorded
from mazurka.trace.trace import Trace, trace_of

engines = Later("mazurka.predict.engines")


def _trace(*events: tuple[int, Op, str]) -> Trace:
    """Of thread, operation and name; calls are rows that touch nothing."""
    kinds = {Op.ACQUIRE: "lock", Op.RELEASE: "lock", Op.CALL: "call"}
    return trace_of(("1", "2"), [Step(t, op, (kinds.get(op, "var"), x), 0, True, None) for t, op, x in events])


FIGURE_3_1 = _trace(
    (0, Op.READ, "x"),
    (0, Op.ACQUIRE, "m"),
    (0, Op.CALL, "s.add(1)"),
    (0, Op.RELEASE, "m"),
    (1, Op.ACQUIRE, "m"),
    (1, Op.CALL, "s.contains(42)"),
    (1, Op.WRITE, "x"),  # frees it
    (1, Op.RELEASE, "m"),
)


def _of_set(added: int) -> list[Reversible]:
    """The candidates of figure 3.1 for the value added: points 0 and 1 are reading and writing x."""
    points = translated(specification("concurrent_set", "coarse"))
    calls = [points.touched("add", (added,), True), points.touched("contains", (42,), True)]
    assert points.commute(*calls) is (added != 42)
    conflict = [] if points.commute(*calls) else [(2, 3), (3, 2)]
    relation = [[1], [0, 1], [q for p, q in conflict if p == 2], [q for p, q in conflict if p == 3]]
    return list(candidates(FIGURE_3_1, Actions({0: (0,), 2: (2,), 5: (3,), 6: (1,)}, relation)))


def test_figure_3_1_calls_that_commute_do_not_order_their_sections() -> None:
    assert _of_set(1) == [Reversible(0, 6, frozenset())]


def test_figure_3_1_calls_that_do_not_commute_order_them() -> None:
    assert _of_set(42) == []


def test_figure_3_1_as_reads_and_writes_has_no_candidate() -> None:
    events = [
        (1 if each.thread == "2" else 0, each.op, each.target.split()[-1])
        if each.op is not Op.CALL
        else (1 if each.thread == "2" else 0, Op.WRITE, "s")
        for each in FIGURE_3_1.events()
    ]
    trace = _trace(*events)
    assert list(candidates(trace, read_write(trace))) == []


#: Points: 0, 1 reading and writing y, 2 using x, 3 freeing it.
_Y_AND_X = ((1,), (0, 1), (3,), (2, 3))
_TOLD = ((1,), (0, 1), (3,), (3,))  # a free is not told of uses
FIGURE_3_3 = _trace(
    (0, Op.ACQUIRE, "m"),
    (0, Op.READ, "y"),
    (0, Op.CALL, "use x"),
    (0, Op.RELEASE, "m"),
    (1, Op.ACQUIRE, "m"),
    (1, Op.CALL, "free x"),
    (1, Op.WRITE, "y"),
    (1, Op.RELEASE, "m"),
)


def test_figure_3_3_a_deferred_candidate_falls_when_its_sections_turn_out_to_be_ordered() -> None:
    order = ExtendedDoesntCommute(_Y_AND_X, _TOLD)
    touched = {1: (0,), 2: (2,), 5: (3,), 6: (1,)}
    known = []
    for row, each in enumerate(FIGURE_3_3.events()):
        thread, target = int(each.thread) - 1, int(FIGURE_3_3.target[row])
        if row in touched:
            found = list(order.act(thread, row, touched[row]))
        else:
            found = list(order.synchronise(thread, row, each.op, target, -1))
        assert found == []
        known.append(order.clock(1).get(0, -1))
    assert known[4:] == [-1, -1, 3, 3]  # by the write of y the release of the first section is known
    assert list(order.left()) == []


def test_figure_3_3_without_the_write_stays_a_candidate() -> None:
    actions = Actions({1: (0,), 2: (2,), 5: (3,)}, _Y_AND_X, _TOLD)
    lock = int(FIGURE_3_3.target[0])
    assert list(candidates(FIGURE_3_3, actions)) == [Reversible(2, 5, frozenset({lock}))]


def _predicted(*events: tuple[int, Op, str] | tuple[int, str, str, tuple[int, ...], object]) -> list[tuple[int, ...]]:
    """The call order violations of a trace, by the rows at which their calls begin. Calls are thread, object, method,
    arguments and result."""
    kinds = {Op.ACQUIRE: "lock", Op.RELEASE: "lock", Op.BRANCH: "none"}
    log = []
    for event in events:
        if len(event) == 3:
            thread, op, name = event
            log.append(Step(thread, op, (kinds.get(op, "var"), name), 0, True, None))
        else:
            thread, name, method, arguments, result = event
            target = method_target({"s": "concurrent_set", "x": "memory"}[name], name, method)
            log.append(Step(thread, Op.CALL, target, 0, True, recorded(arguments)))
            log.append(Step(thread, Op.RETURN, target, 0, True, recorded(result)))  # type: ignore[arg-type]
    trace = assemble(parts_of(trace_of(("1", "2"), log)))
    search = engines.EngineRun(trace)
    found = list(engines.run(search, "auto", ("call-order",)))
    assert not any(bug.objections for bug in found)
    assert search.stages[-1].undecided == 0
    return sorted(bug.rows for bug in found)


def _figure_3_1(added: int, *before: tuple[int, Op, str], branch: bool = True) -> list[tuple[int, ...]]:
    return _predicted(
        *before,
        (0, "x", "read", (), 0),
        (0, Op.ACQUIRE, "m"),
        (0, "s", "add", (added,), True),
        (0, Op.RELEASE, "m"),
        (1, Op.ACQUIRE, "m"),
        (1, "s", "contains", (42,), True),
        *([(1, Op.BRANCH, "")] if branch else []),
        (1, "x", "free", (), None),
        (1, Op.RELEASE, "m"),
    )


def test_figure_3_1_is_predicted() -> None:
    """If 42 was in the set before, the sections may change places, and x is read after it has been freed."""
    assert _figure_3_1(1) == [(0, 10)]
    assert _figure_3_1(42) == []  # contains would return False then, and the program take another branch


def test_what_a_call_returns_decides_though_branches_are_those_of_reads() -> None:
    """A recording has branches after reads that decide something, not after calls."""
    assert _figure_3_1(42, (0, Op.BRANCH, ""), branch=False) == []


def _figure_3_3(*rest: tuple[int, Op, str]) -> list[tuple[int, ...]]:
    return _predicted(
        (0, Op.ACQUIRE, "m"),
        (0, Op.READ, "y"),
        (0, Op.BRANCH, ""),
        (0, "x", "write", (1,), None),
        (0, Op.RELEASE, "m"),
        (1, Op.ACQUIRE, "m"),
        (1, "x", "free", (), None),
        *rest,
        (1, Op.RELEASE, "m"),
    )


def test_figure_3_3_is_predicted_only_without_the_write() -> None:
    assert _figure_3_3((1, Op.WRITE, "y")) == []
    assert _figure_3_3() == [(3, 7)]
