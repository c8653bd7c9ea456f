"""One run's path down the decision tree: the step of each node, and the nodes it adds at the end (see mcr.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from mazurka.causal.history import INITIAL, INITIAL_PRINT, History
from mazurka.explore.reads_from.objects import is_of_object
from mazurka.explore.reads_from.tree import NEVER, Asks, Branch, DecisionNode
from mazurka.trace.event import Op
from mazurka.trace.fingerprints import fingerprint_of_name
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import Kind, kind_of, of_kinds

#: Blocked operations without a node of their own: earlier steps decide them, or they acquire (taker nodes).
_SETTLED: Final = frozenset({Op.BEGIN, Op.JOIN, Op.END, Op.SLEEP, Op.SPIN, Op.RELEASE, Op.FORK, Op.ACQUIRE, Op.RMW})


class Decision(NamedTuple):
    """A node on the path: its number, its step in this run, and the causal past of all nodes before."""

    number: int
    node: DecisionNode
    step: StepIndex
    past: tuple[int, ...]


#: Distinguishes answers of several writes from prints, which are hashes of a state and writes: the state after the
#: first write would be the same as the write.
_SEVERAL: Final = 0x5EA1

#: Whether a target has the same name in every run; parts of objects have names of their own in forms (objects.py).
_is_named: Final = of_kinds(Kind.GLOBAL, Kind.VARIABLE)

#: The hash of the answers before the first node.
NOTHING_ABOVE: Final = 2


class DecisionPath:
    """Follows a path: :meth:`inherited`, then :meth:`own`; or :meth:`again` if the run has been followed before.

    ``taken_kinds`` are the kinds of targets whose indivisible updates may have to wait, as acquires do.
    """

    def __init__(self, history: History, branch: Branch, taken_kinds: set[str] | frozenset[str]) -> None:
        self.history = history
        self.branch = branch
        self.taken = history.acquires  # by step: the lock that it takes
        if taken_kinds:
            self.taken = [self._taken_by(step, taken_kinds) for step in range(len(history.ops))]
        self.locks: dict[Any, list[StepIndex]] = {}  # by lock: the steps that acquire it, and may wait for it
        for step, lock in enumerate(self.taken):
            if lock is not None:
                self.locks.setdefault(lock, []).append(StepIndex(step))
        touched = history.looks if taken_kinds else ()
        self.counted = {t for t in touched if kind_of(t).tag in taken_kinds}  # several threads may take from them
        tried = {target for step in history.attempts for target in history.writes[step]}
        self.lockable = {lock for _, lock in history.frees} | set(self.locks) | self.counted
        self.takers = self._takers(self.lockable | tried)
        reads = zip(history.states, history.reads, strict=True)
        self.by_state = {state: step for step, (state, read) in enumerate(reads) if read}
        self.past = [0] * len(history.tasks)  # the causal past of all nodes so far
        self.stops: list[Decision] = []
        # The same for operations that never happened; the step is an index of history.pending.
        self.waiting: list[Decision] = []
        self.answers: list[int] = []  # of the branch's own nodes
        self.actual: int | None = None  # the answer given to the last inherited node, if it is a new one
        self.mispredicted = False  # whether a step's accesses were guessed wrong, so that the run is not on this path

    def _taken_by(self, step: int, taken_kinds: set[str] | frozenset[str]) -> Any:
        history = self.history
        if history.acquires[step] is not None:
            return history.acquires[step]
        if history.ops[step] is Op.RMW and history.reads[step] and step not in history.attempts:
            target = history.reads[step][0][0]
            if kind_of(target).tag in taken_kinds:
                return target
        return None

    def _takers(self, locks: set[Any]) -> dict[tuple[int, int], StepIndex]:
        """(print of a release, print of the lock) -> the step that took the lock then."""
        history, found = self.history, {}
        for lock in locks:
            printed = fingerprint_of_name(lock)
            for step in history.looks.get(lock, ()):
                if lock in history.writes[step]:
                    source = next(s for t, s in history.reads[step] if t == lock)
                    found[self.print_of(source), printed] = step
        return found

    def print_of(self, source: int) -> int:
        """The fingerprint of a source: of a step, or of the initial value."""
        return INITIAL_PRINT if source == INITIAL else self.history.prints[source]

    def data_steps(self) -> list[StepIndex]:
        """The steps at points with reads that only the values read decide: none that waits, and no attempts."""
        history, taken, others = self.history, self.taken, self._unnamed()
        return [
            StepIndex(step)
            for step, (reads, point) in enumerate(zip(history.reads, history.points, strict=True))
            if reads
            and point
            and taken[step] is None
            and step not in history.attempts
            and not any(target in others for target, _ in reads)
            and others.isdisjoint(history.writes[step])
        ]

    def _unnamed(self) -> set[Any]:
        """The targets without names in forms, and those that threads wait for."""
        touched = {**self.history.looks, **self.history.writers}
        return {each for each in touched if not (_is_named(each) or is_of_object(each)) or each in self.lockable}

    # -- down ---------------------------------------------------------------------------------------------------------

    def inherited(self) -> None:
        """Pass the nodes that earlier runs made. A run with another answer keeps only the nodes up to that one."""
        branch = self.branch
        path = branch.parent.path()[: branch.cut] if branch.parent is not None else []
        above = NOTHING_ABOVE
        for number, node in enumerate(path):
            step = self._step_of(node)
            if step is None:
                branch.inherited = number
                self.mispredicted = branch.above != 0
                return
            self._pass(node, step)
            if number == len(path) - 1:
                actual = self.actual_answer(node, step)
                if branch.above and (above != branch.above or (actual != branch.answer and actual in node.tried)):
                    self.mispredicted = True
                    return
                self._settle(node, actual)
            elif branch.above:
                above = hash((above, self.actual_answer(node, step)))

    def _settle(self, node: DecisionNode, actual: int) -> None:
        if actual not in node.tried:
            node.tried.add(actual)
            self.actual = actual

    def _step_of(self, node: DecisionNode) -> int | None:
        if node.asks == Asks.SOURCE:
            return self.by_state.get(node.first)
        return self.takers.get((node.first, node.second))

    def actual_answer(self, node: DecisionNode, step: int) -> int:
        """This run's answer: that of the seed, unless the step turned out to be another."""
        if node.asks == Asks.TAKER:
            return self.history.states[step]
        return self._answer_of_reads(step)

    def _answer_of_reads(self, step: int) -> int:
        reads = self.history.reads[step]
        if len(reads) == 1:
            return self.print_of(reads[0][1])
        return answer_of([self.print_of(source) for _, source in reads])

    def _pass(self, node: DecisionNode, step: int) -> None:
        self.stops.append(Decision(len(self.stops), node, StepIndex(step), tuple(self.past)))
        self.history.include(self.past, step)

    def own(self) -> None:
        """Append this run's reads that have no node yet."""
        history = self.history
        nodes: list[DecisionNode] = []
        for step, reads in enumerate(history.reads):
            if not reads or not history.points[step]:
                continue  # steps that are no points are decided by the points before them
            if self.past[history.numbers[step]] > history.positions[step]:
                continue
            node, answer = self._question(step)
            nodes.append(node)
            self.answers.append(answer)
            self._pass(node, step)
        for number, (thread, op, target) in enumerate(history.pending):
            if op in _SETTLED or target not in history.writers:
                continue
            node = DecisionNode(Asks.SOURCE, history.final_states[thread], 0, NEVER)
            self.waiting.append(Decision(self.branch.inherited + len(nodes), node, StepIndex(number), tuple(self.past)))
            nodes.append(node)
            self.answers.append(NEVER)
        self.branch.nodes = tuple(nodes)

    def _question(self, step: int) -> tuple[DecisionNode, int]:
        """The question about a step, and its answer in this run."""
        history, lock = self.history, self.taken[step]
        if lock is None:
            answer = self._answer_of_reads(step)
            return DecisionNode(Asks.SOURCE, history.states[step], 0, answer), answer
        source = next(s for t, s in history.reads[step] if t == lock)
        answer = history.states[step]
        return DecisionNode(Asks.TAKER, self.print_of(source), fingerprint_of_name(lock), answer), answer

    def again(self) -> None:
        """Pass all nodes of a branch whose run has been followed before, to compute its remaining alternatives."""
        for node in self.branch.path():
            step = self._step_of(node)
            if step is not None:
                self._pass(node, step)


def answer_of(prints: Sequence[int]) -> int:
    """The answer to a source node whose step reads from writes with these prints."""
    return prints[0] if len(prints) == 1 else hash((_SEVERAL, *prints))
