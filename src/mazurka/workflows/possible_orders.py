"""Which steps of an execution can come in the other order: the causal model's answers, as data for a report.

For each pair of steps of different threads the solver is asked for an execution in which the later one comes first
(:class:`~mazurka.report.details.Orders` has the question in words). Each order that it finds answers the question for
all pairs that are the other way round in it, so that most pairs need no question of their own.

The answers are kept as edges: of the pairs that can't change places those between which no third step lies that can
change places with neither. By induction over the steps between, a path of edges leads from the first to the second of
every such pair. The converse fails where a step on the path need not happen in the other execution; these pairs are
listed. ``tests/property/test_possible_orders.py`` holds the data to the solver.

An edge has the reason that the two steps show: they are of one thread, the second reads the value that the first wrote,
and so on. Where they show none, several constraints imply it together.

Cost: at most half of :data:`STEPS` squared questions of about a millisecond each, fewer for long executions; below a
second of processor time. Nothing is asked about executions of more than :data:`LONGEST` steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from mazurka.causal.model_from_trace import model_of_trace
from mazurka.causal.question import Before, Question
from mazurka.causal.solver import Feasible, Unknown
from mazurka.causal.solvers import FOR_TRACES
from mazurka.lazy_dataclass import dataclass
from mazurka.report.details import Arrow, OrderReason, Orders
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.targets import Kind, kind_of
from mazurka.trace.trace import NO_VALUE, Trace

#: The most steps that questions are asked about; of longer executions, those that explain the failure come first.
STEPS: Final = 60

#: A question takes longer for a longer execution: so many steps times the length, but not fewer than so many steps.
_WORK: Final = 9_000
_LEAST: Final = 24

#: The most steps of an execution about which questions are asked.
LONGEST: Final = 2_000

Pair = tuple[int, int]


def orders_of(
    trace: Trace,
    end: int,
    first: Iterable[int] = (),
    most: int = STEPS,
    words: Callable[[Any], str] | None = None,
    number: Callable[[int], int] | None = None,
) -> Orders | None:
    """The orders of the steps before ``end``: of at most ``most`` steps, ``first`` those given. ``words`` names
    targets; ``number`` gives the number of a step in the answer, by default from 1. None if the execution is too
    long."""
    if len(trace) > LONGEST:
        return None
    numbered = number or (lambda step: step + 1)
    steps = _chosen(trace, end, first, min(most, max(_WORK // max(len(trace), 1), _LEAST)))
    answers = answered(trace, steps)
    accesses = _Accesses(trace, words or _plain_words)
    edges = sorted(_edges(steps, answers.kept))
    reachable = _reachable(steps, edges)

    def pairs(found: set[Pair]) -> tuple[Pair, ...]:
        return tuple([(numbered(a), numbered(b)) for a, b in sorted(found)])

    return Orders(
        tuple(map(numbered, steps)),
        tuple([Arrow(numbered(a), numbered(b), *accesses.reason(a, b)) for a, b in edges]),
        pairs(reachable - answers.kept - answers.undecided),
        pairs(answers.undecided),
    )


def _chosen(trace: Trace, end: int, first: Iterable[int], most: int) -> list[int]:
    """The steps to ask about, without branches: all, or those given and then those nearest to the end."""
    own = sorted({int(step) for step, op in zip(trace.step, trace.op, strict=True) if step < end and op != Op.BRANCH})
    if len(own) <= most:
        return own
    known = set(own)
    chosen = dict.fromkeys([int(step) for step in first if step in known][:most])
    for step in reversed(own):
        if len(chosen) >= most:
            break
        chosen.setdefault(step)
    return sorted(chosen)


@dataclass(frozen=True, slots=True)
class Answers:
    """Pairs of steps of which the first came before the second: those that can't change places, and those without an
    answer."""

    kept: set[Pair]
    undecided: set[Pair]


def answered(trace: Trace, steps: Sequence[int]) -> Answers:
    """Which pairs of steps, ascending numbers, can't come in the other order."""
    model, solver = model_of_trace(trace), FOR_TRACES()
    thread = {int(step): int(task) for step, task in zip(trace.step, trace.thread, strict=True)}
    kept: set[Pair] = set()
    undecided: set[Pair] = set()
    turned: set[Pair] = set()
    wanted_steps = set(steps)
    for at, later in enumerate(steps):
        for earlier in reversed(steps[:at]):
            pair = earlier, later
            if thread[earlier] == thread[later]:
                kept.add(pair)
            elif pair not in turned:
                answer = solver.decide(model, Question(constraints=(Before(later, earlier),)))
                if isinstance(answer, Feasible):
                    turned |= _turned([int(step) for step in answer.order if step in wanted_steps])
                else:
                    (undecided if isinstance(answer, Unknown) else kept).add(pair)
    return Answers(kept, undecided)


def _turned(order: Sequence[int]) -> set[Pair]:
    """The pairs of steps that an order has the other way round."""
    return {(later, step) for at, step in enumerate(order) for later in order[at + 1 :] if later < step}


def _edges(steps: Sequence[int], kept: set[Pair]) -> set[Pair]:
    """The pairs between which no step lies that can change places with neither."""
    after = {step: {b for b in steps if (step, b) in kept} for step in steps}
    before = {step: {a for a in steps if (a, step) in kept} for step in steps}
    return {(a, b) for a, b in kept if not after[a] & before[b]}


def _reachable(steps: Sequence[int], edges: Iterable[Pair]) -> set[Pair]:
    """The pairs with a path of edges from the first to the second."""
    following: dict[int, set[int]] = {step: set() for step in steps}
    direct: dict[int, list[int]] = {step: [] for step in steps}
    for a, b in edges:
        direct[a].append(b)
    for step in reversed(steps):  # edges only lead to later steps
        for b in direct[step]:
            following[step] |= {b} | following[b]
    return {(a, b) for a, reached in following.items() for b in reached}


class _Accesses:
    """The accesses of each step, from which the reason of an edge is read."""

    def __init__(self, trace: Trace, words: Callable[[Any], str]) -> None:
        self.trace, self.words = trace, words
        self.rows: dict[int, list[tuple[Op, int, int]]] = {}
        self.thread: dict[int, int] = {}
        columns = (trace.step, trace.thread, trace.op, trace.target, trace.value)
        for step, task, op, target, value in zip(*columns, strict=True):
            self.rows.setdefault(int(step), []).append((Op(int(op)), int(target), int(value)))
            self.thread[int(step)] = int(task)

    def reason(self, first: int, second: int) -> tuple[OrderReason, str]:
        """The reason of the edge between two steps, and the name of its target."""
        if self.thread[first] == self.thread[second]:
            return OrderReason.PROGRAM, ""
        if any(op is Op.FORK and self._thread(target) == self.thread[second] for op, target, _ in self.rows[first]):
            return OrderReason.FORK, ""
        if any(op is Op.JOIN and self._thread(target) == self.thread[first] for op, target, _ in self.rows[second]):
            return OrderReason.JOIN, ""
        reasons = [
            (reason, target)
            for op, target, value in self.rows[second]
            for other, same, stored in self.rows[first]
            if same == target
            for reason in [self._reason(target, other, op, stored, value)]
            if reason is not None
        ]
        reason, target = min(reasons, key=lambda each: _RANK.index(each[0]), default=(OrderReason.TOGETHER, -1))
        return reason, self._name(target)

    def _reason(self, target: int, first: Op, second: Op, stored: int, read: int) -> OrderReason | None:
        by_ops = _BY_OPS.get((first, second))
        if by_ops is not None:
            return by_ops
        if WRITES[first] and READS[second]:
            signals = first in _SIGNALS or kind_of(self.trace.targets[target]) is Kind.WAKE
            if signals:
                return OrderReason.WAKE
            return OrderReason.READ if stored == read or NO_VALUE in (stored, read) else None
        if READS[first] and WRITES[second]:
            return OrderReason.OVERWRITE
        return OrderReason.WRITE if WRITES[first] and WRITES[second] else None

    def _thread(self, target: int) -> int:
        return int(self.trace.thread_of_target[target])

    def _name(self, target: int) -> str:
        return self.words(self.trace.targets[target]) if target >= 0 else ""


def _plain_words(target: Any) -> str:
    return " ".join(map(str, target[1:])) or str(target[0])


_SIGNALS: Final = frozenset({Op.NOTIFY, Op.NOTIFY_ALL})

_BY_OPS: Final = {
    (Op.FORK, Op.BEGIN): OrderReason.FORK,
    (Op.END, Op.JOIN): OrderReason.JOIN,
    (Op.RELEASE, Op.ACQUIRE): OrderReason.LOCK,
    (Op.ACQUIRE, Op.ACQUIRE): OrderReason.LOCK,
    (Op.RELEASE, Op.RELEASE): OrderReason.LOCK,
    (Op.ACQUIRE, Op.RELEASE): OrderReason.LOCK,
}

#: Of several reasons the first of these is given.
_RANK: Final = (
    OrderReason.FORK,
    OrderReason.JOIN,
    OrderReason.LOCK,
    OrderReason.WAKE,
    OrderReason.READ,
    OrderReason.OVERWRITE,
    OrderReason.WRITE,
)
