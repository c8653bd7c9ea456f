"""Maximal causality reduction: one run per reads-from class.

Definition. Two runs are equivalent if every thread does the same in both and every read takes its value from the same write. This
strategy executes one run of each class, following optimal stateless model checking modulo reads-from (Abdulla, Atig,
Jonsson, Lång, Ngo, Sagonas, OOPSLA 2019) on the maximal causal model (Huang, PLDI 2015), with a decision tree
over event fingerprints instead of the papers' structures, and its own treatment of locks.

The tree. A run is a path from the root. Nodes are questions that have exactly one answer in every complete run below them:

- *source* node: which writes does the step of a thread in this state read from? (The state fingerprint names the step in every run.)
- *taker* node: who acquires this lock next after this release? A lock is not asked whom it got from, since
  what happens inside somebody else's critical section can't be known before it has been run. After a release whose past is decided, an
  acquire being due, some acquire must take it: otherwise the run would not be complete.

Below a node all runs share the answers of the nodes before it, hence all steps these causally need. A run that reaches a leaf appends its
own reads and acquires, in log order, as nodes; those that are causally needed by nodes before them have no alternatives and are left out.

Alternatives. For each node on a run's path (inherited ones too), the run offers the other writes of the target, resp. the other
acquires, done or still blocked at its end. Offered too are events that the run only nearly shows: for a source node of a step ``e``, a
step that reads from ``e``, done just before ``e`` instead (so it reads what ``e`` read). An alternative is decided once per node, by
its fingerprint, with one query: the causal past of all nodes before, of the alternative, and of the step's predecessors, can this be ordered
with the step at its end, all reads kept? The order is the next run's prefix.

Completeness (induction over the causal past of the alternative): take a complete run E below a node that answers it with the last of E's
writes in question, w. Without w, the step reads something earlier, and then w can still happen, or is the "nearly shown" event. That run
is below an answer with a smaller past, explored by induction, and shows w. For takers likewise: let the
known taker go first; the other is then seen, done or blocked. What does not fit (a blocking read other than a join, as of an
event somebody clears) is approximated: the alternative is scheduled and whatever comes of it is a path of its own,
unless it has been seen.

Order: fewest deviations from the first run first. Cost: per run O(path x offers) set look-ups and one query per new alternative.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from mazurka.causal.history import INITIAL, INITIAL_PRINT, History, fingerprint, stable_print
from mazurka.causal.solver import Extra, Feasible, Infeasible, Query, Solver
from mazurka.explore.strategy import Estimate, Row, Seed
from mazurka.program.protocol import Plan, Run
from mazurka.trace.event import Op

_SOURCE: Final = 0
_TAKER: Final = 1

#: The answer "it stays blocked for ever".
_NEVER: Final = 1

#: Operations that can read from one step only: nothing to decide.
_CERTAIN: Final = frozenset({Op.BEGIN, Op.JOIN})

#: Blocked operations that are no question: they can happen in one way, which the steps before decide.
_SETTLED: Final = frozenset({Op.BEGIN, Op.JOIN, Op.END, Op.POINT, Op.RELEASE, Op.FORK})

#: At most this many combinations of sources are tried for a step that reads several targets.
_COMBINATIONS: Final = 512


class Node:
    """A question; ``first`` is the print of the thread's state (source) or of the release (taker), ``second`` of the lock."""

    __slots__ = ("first", "kind", "second", "tried")

    def __init__(self, kind: int, first: int, second: int, answer: int) -> None:
        self.kind = kind
        self.first = first
        self.second = second
        self.tried = {answer}


class Branch:
    """A seed and the part of its path that its run added. ``cut`` nodes of the parent's path come before, the last answered anew."""

    __slots__ = ("answer", "cut", "depth", "inherited", "nodes", "number", "parent", "prefix", "retry")

    def __init__(self, number: int, parent: Branch | None, cut: int, answer: int, prefix: bytes) -> None:
        self.number = number
        self.parent = parent
        self.cut = cut
        self.answer = answer
        self.prefix = prefix
        self.depth: int = parent.depth + 1 if parent else 0
        self.inherited = cut
        self.nodes: tuple[Node, ...] = ()
        self.retry = False

    def path(self) -> list[Node]:
        """All nodes from the root down."""
        parts: list[tuple[Node, ...]] = []
        branch: Branch | None = self
        keep = self.inherited + len(self.nodes)
        while branch is not None and keep > 0:
            own = keep - branch.inherited
            if own > 0:
                parts.append(branch.nodes[:own])
                keep = branch.inherited
            branch = branch.parent
        return [node for part in reversed(parts) for node in part]


@dataclass(slots=True)
class Counters:
    """What a search can tell about itself."""

    runs: int = 0
    repeated: int = 0  # runs of a class already seen
    diverged: int = 0  # seeds that the program could not follow
    lost: int = 0  # of these, those that should have been possible
    queries: int = 0
    unknown: int = 0  # queries the solver gave up on
    capped: int = 0  # steps with more combinations of sources than are tried


class ReadsFromSearch:
    """The ``mcr`` strategy."""

    name = "mcr"
    exhaustive = True

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.counters = Counters()
        self.names: list[str] = []
        self.name_numbers: dict[str, int] = {}
        self.branches: dict[int, Branch] = {}
        self.waiting: list[deque[Branch]] = [deque()]
        self.waiting_count = 0
        self.seen: set[int] = set()
        self.next_number = 0
        self.journal: list[Row] = []
        self.restored_done: set[int] = set()
        self._add(None, 0, _NEVER, ())

    # -- the protocol -------------------------------------------------------------------------------------------------

    def take(self) -> Seed | None:
        for level in self.waiting:
            if level:
                branch = level.popleft()
                self.waiting_count -= 1
                return Seed(branch.number, Plan(self._decode(branch.prefix)))
        return None

    def give(self, seed: Seed, run: Run) -> None:
        self.counters.runs += 1
        branch = self.branches.pop(seed.number)
        if run.divergence is not None:
            self._diverged(branch, seed, run)
        else:
            self._learn(branch, run)
        branch.prefix = b""

    def estimate(self) -> Estimate:
        done = self.counters.runs
        return Estimate(done, self.waiting_count, None if self.waiting_count else float(done))

    def note(self) -> str:
        return ""

    def doubt(self) -> str:
        parts = []
        if self.counters.lost:
            parts.append(f"{self.counters.lost} schedules that should be possible could not be followed")
        if self.counters.unknown:
            parts.append(f"{self.counters.unknown} questions were too hard for the solver")
        if self.counters.capped:
            parts.append(f"{self.counters.capped} steps read too many locations to try all combinations")
        return "; ".join(parts)

    # -- seeds ----------------------------------------------------------------------------------------------------------

    def _encode(self, prefix: Iterable[str]) -> bytes:
        numbers = array("H")
        for name in prefix:
            number = self.name_numbers.get(name)
            if number is None:
                number = self.name_numbers[name] = len(self.names)
                self.names.append(name)
                self.journal.append(("name", name))
            numbers.append(number)
        return numbers.tobytes()

    def _decode(self, prefix: bytes) -> tuple[str, ...]:
        numbers = array("H")
        numbers.frombytes(prefix)
        names = self.names
        return tuple([names[number] for number in numbers])

    def _add(self, parent: Branch | None, cut: int, answer: int, prefix: Iterable[str], retry: bool = False) -> None:
        branch = Branch(self.next_number, parent, cut, answer, self._encode(prefix))
        branch.retry = retry
        self.next_number += 1
        self._enqueue(branch)
        above = -1 if parent is None else parent.number
        self.journal.append(("seed", branch.number, above, cut, answer, branch.prefix, int(retry)))

    def _enqueue(self, branch: Branch) -> None:
        self.branches[branch.number] = branch
        while len(self.waiting) <= branch.depth:
            self.waiting.append(deque())
        self.waiting[branch.depth].append(branch)
        self.waiting_count += 1

    def _diverged(self, branch: Branch, seed: Seed, run: Run) -> None:
        """The program could not follow. If only the very last move failed, its thread waits for more: see what comes."""
        assert run.divergence is not None
        self.counters.diverged += 1
        self.journal.append(("done", branch.number, branch.inherited, b"", -1))
        if run.divergence.harmless:
            return
        prefix = seed.plan.prefix
        if run.divergence.index == len(prefix) - 1 and not branch.retry:
            self._add(branch.parent, branch.cut, branch.answer, prefix[:-1], retry=True)
        else:
            self.counters.lost += 1

    # -- learning -------------------------------------------------------------------------------------------------------

    def _learn(self, branch: Branch, run: Run) -> None:
        history = History(run.tasks, run.log, run.blocked)
        signature = history.signature()
        if signature in self.seen:
            self.counters.repeated += 1
            self.journal.append(("done", branch.number, branch.inherited, b"", -1))
            return
        self.seen.add(signature)
        walk = _Walk(self, branch, history)
        walk.inherited()
        walk.own()
        flat = array("q")
        for node, answer in zip(branch.nodes, walk.answers, strict=True):
            flat.extend((node.kind, node.first, node.second, answer))
        self.journal.append(("done", branch.number, branch.inherited, flat.tobytes(), signature))
        walk.offer()

    # -- rows -----------------------------------------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        rows, self.journal = self.journal, []
        return rows

    def restore(self, rows: Iterable[Row]) -> None:
        everything: dict[int, Branch] = {}
        done: set[int] = set()
        for row in rows:
            match row:
                case ("name", name):
                    self.name_numbers[name] = len(self.names)
                    self.names.append(name)
                case ("seed", number, above, cut, answer, prefix, retry):
                    parent = everything.get(above)
                    branch = Branch(number, parent, cut, answer, prefix)
                    branch.retry = bool(retry)
                    everything[number] = branch
                    if parent is not None and cut:
                        parent.path()[cut - 1].tried.add(answer)
                case ("done", number, inherited, flat, signature):
                    done.add(number)
                    everything[number].inherited = inherited
                    self._restore_nodes(everything[number], flat)
                    if signature != -1:
                        self.seen.add(signature)
                case ("tried", number, index, answer):
                    everything[number].path()[index].tried.add(answer)
        if not everything:
            return
        self.branches.clear()
        self.waiting = [deque()]
        self.waiting_count = 0
        for number, branch in everything.items():
            if number not in done:
                self._enqueue(branch)
        self.next_number = max(everything) + 1
        self.counters.runs = len(done)
        self.journal.clear()

    def _restore_nodes(self, branch: Branch, flat: bytes) -> None:
        numbers = array("q")
        numbers.frombytes(flat)
        branch.nodes = tuple(Node(*numbers[i : i + 4]) for i in range(0, len(numbers), 4))


class _Walk:
    """One run's way down the tree, and what it offers to the nodes it passes."""

    def __init__(self, search: ReadsFromSearch, branch: Branch, history: History) -> None:
        self.search = search
        self.branch = branch
        self.history = history
        self.by_state = dict(zip(history.states, range(len(history.states)), strict=True))
        self.by_print = dict(zip(history.prints, range(len(history.prints)), strict=True))
        self.target_of = {stable_print(target): target for target in history.locks}
        self.past = [0] * len(history.tasks)  # the causal past of all nodes so far
        self.stops: list[tuple[Node, int, tuple[int, ...]]] = []  # node, its step (or ~pending), the past before it
        self.answers: list[int] = []  # of the branch's own nodes
        self.half_asked = -1  # a step whose taker node ends the inherited path, its other reads not asked yet

    # -- down -----------------------------------------------------------------------------------------------------------

    def inherited(self) -> None:
        """Pass the nodes that earlier runs made. A run that leaves them keeps only those it agrees with."""
        path = self.branch.parent.path()[: self.branch.cut] if self.branch.parent is not None else []
        for number, node in enumerate(path):
            step = self._find(node)
            if step is None:
                self.branch.inherited = number
                return
            self._pass(node, step)
            if number == len(path) - 1:
                node.tried.add(self._actual(node, step))
                if node.kind == _TAKER and len(self.history.reads[step]) > 1:
                    self.half_asked = step

    def _actual(self, node: Node, step: int) -> int:
        """The answer this run gives, which is what was asked for unless the step turned out to be another."""
        history = self.history
        if node.kind == _TAKER:
            return history.states[step]
        lock = history.acquires[step]
        return _answer([self._print(source) for target, source in history.reads[step] if target != lock])

    def _print(self, source: int) -> int:
        return INITIAL_PRINT if source == INITIAL else self.history.prints[source]

    def _find(self, node: Node) -> int | None:
        if node.kind == _SOURCE:
            return self.by_state.get(node.first)
        source = INITIAL if node.first == INITIAL_PRINT else self.by_print.get(node.first)
        if source is None or node.second not in self.target_of:
            return None
        return self.history.consumers.get((source, self.target_of[node.second]))

    def _pass(self, node: Node, step: int) -> None:
        self.stops.append((node, step, tuple(self.past)))
        if node.kind == _SOURCE or len(self.history.reads[step]) == 1:
            self.history.include(self.past, step)

    def own(self) -> None:
        """Append what this run reads and nobody has asked yet."""
        history = self.history
        nodes: list[Node] = []
        if self.half_asked >= 0:
            node, answer = list(self._questions(self.half_asked))[-1]
            nodes.append(node)
            self.answers.append(answer)
            self._pass(node, self.half_asked)
        for step, reads in enumerate(history.reads):
            if not reads or history.ops[step] in _CERTAIN:
                continue
            if self.past[history.numbers[step]] > history.positions[step]:
                continue
            for node, answer in self._questions(step):
                nodes.append(node)
                self.answers.append(answer)
                self._pass(node, step)
        for number, (thread, op, _target) in enumerate(history.pending):
            if op in _SETTLED or op is Op.ACQUIRE:
                continue
            node = Node(_SOURCE, history.final_states[thread], 0, _NEVER)
            nodes.append(node)
            self.answers.append(_NEVER)
            self.stops.append((node, ~number, tuple(self.past)))
        self.branch.nodes = tuple(nodes)

    def _questions(self, step: int) -> Iterator[tuple[Node, int]]:
        history = self.history
        lock = history.acquires[step]
        others = []
        for target, source in history.reads[step]:
            if target == lock:
                answer = history.states[step]
                yield Node(_TAKER, self._print(source), stable_print(lock), answer), answer
            else:
                others.append(self._print(source))
        if others:
            answer = _answer(others)
            yield Node(_SOURCE, history.states[step], 0, answer), answer

    # -- alternatives -----------------------------------------------------------------------------------------------------

    def offer(self) -> None:
        """Ask, at every node passed, for what this run shows to be possible."""
        history = self.history
        for number, (node, step, past) in enumerate(self.stops):
            if step < 0:
                self._offer_pending(number, node, ~step, past)
            elif past[history.numbers[step]] > history.positions[step]:
                continue  # needed by nodes before: nothing else is possible here
            elif node.kind == _TAKER:
                self._offer_takers(number, node, step, past)
            else:
                self._offer_sources(number, node, step, past)

    def _offer_takers(self, number: int, node: Node, step: int, past: tuple[int, ...]) -> None:
        history = self.history
        lock = history.acquires[step]
        source = next(s for t, s in history.reads[step] if t == lock)
        if source != INITIAL and history.acquires[source] == lock and history.numbers[source] == history.numbers[step]:
            return  # taken again by who holds it
        rivals = [j for j in history.locks[lock] if j != step]
        rivals += [j for j in history.readers[step] if history.acquires[j] != lock and (lock, step) in history.reads[j]]
        for rival in rivals:
            if history.states[rival] in node.tried or self._before_needs(rival, step):
                continue
            ends = [s for t, s in history.reads[rival] if t != lock and s != INITIAL]
            if any(history.needs(s, step) for s in ends):
                continue
            thread, position = history.numbers[rival], history.positions[rival]
            extra = Extra(thread, ((lock, source),), history.writes[rival])
            state = history.states[rival]
            if not self._ask(number, node, state, past, [(thread, position)], [source, *ends], (extra,)) and ends:
                node.tried.discard(state)  # it may be woken in another way
        for thread, op, target in history.pending:
            if op is not Op.ACQUIRE or target != lock:
                continue
            state = history.final_states[thread]
            position = len(history.threads[thread])
            if state in node.tried or position and history.needs(history.threads[thread][-1], step):
                continue
            extra = Extra(thread, ((lock, source),), (lock,))
            self._ask(number, node, state, past, [(thread, position)], [source], (extra,))

    def _before_needs(self, step: int, other: int) -> bool:
        """Whether what precedes ``step`` in its thread causally needs ``other``."""
        thread, position = self.history.numbers[step], self.history.positions[step]
        return position > 0 and self.history.needs(self.history.threads[thread][position - 1], other)

    def _offer_sources(self, number: int, node: Node, step: int, past: tuple[int, ...]) -> None:
        history = self.history
        lock = history.acquires[step]
        kept = [read for read in history.reads[step] if read[0] == lock]
        asked = [read for read in history.reads[step] if read[0] != lock]
        choices = [self._sources(step, target, present) for target, present in asked]
        place = (history.numbers[step], history.positions[step])
        if len(asked) > 1:
            total = 1
            for choice in choices:
                total *= len(choice)
            if total > _COMBINATIONS:
                self.search.counters.capped += 1
                choices = [choice[:8] for choice in choices]
        for sources in product(*choices):
            answer = _answer([self._print(s) for s in sources])
            if answer in node.tried:
                continue
            reads = (*kept, *((target, s) for (target, _), s in zip(asked, sources, strict=True)))
            extra = Extra(place[0], reads, history.writes[step])
            self._ask(number, node, answer, past, [place], [s for _, s in reads], (extra,))
        if not kept:
            self._offer_nearly(number, node, step, past, asked)

    def _sources(self, step: int, target: Any, present: int) -> list[int]:
        """What ``step`` might read of ``target``: the present source first, and every write that does not need it."""
        history = self.history
        found = [present]
        if present != INITIAL:
            found.append(INITIAL)
        thread, position, clocks = history.numbers[step], history.positions[step], history.clocks
        for writer in history.writers.get(target, ()):
            if history.numbers[writer] == thread:
                independent = history.positions[writer] < position
            else:
                independent = clocks[writer][thread] <= position
            if independent and writer != present:
                found.append(writer)
        return found

    def _offer_nearly(
        self, number: int, node: Node, step: int, past: tuple[int, ...], asked: list[tuple[Any, int]]
    ) -> None:
        """Offer steps that could come before ``step`` but, having come after, read something else."""
        history = self.history
        read = dict(asked)
        for rival in self._rivals(step, read):
            if self._before_needs(rival, step):
                continue
            looked_at = [t for t, _ in history.reads[rival]]
            changed = [t for t in read if t in history.writes[rival] or t in history.lockable and t in looked_at]
            options = []
            for target, _ in history.reads[rival]:
                if target in changed:
                    options.append([(target, read[target])])
                else:
                    options.append([(target, s) for s in (INITIAL, *history.writers.get(target, ()))])
            for reads in product(*options):
                if any(s != INITIAL and history.needs(s, step) for _, s in reads):
                    continue
                self._offer_swap(number, node, step, past, asked, rival, reads, changed)
        for thread, op, target in history.pending:
            if op is Op.ACQUIRE and target in read:
                self._offer_swap_pending(number, node, step, past, asked, thread, target)

    def _rivals(self, step: int, read: dict[Any, int]) -> list[int]:
        """Steps that write what ``step`` reads, or would on a free lock, and whose print depends on what they read."""
        history = self.history
        found: dict[int, None] = {}
        for target in read:
            if target in history.lockable:
                found.update(dict.fromkeys(history.looks[target]))
            else:
                found.update(dict.fromkeys(j for j in history.writers.get(target, ()) if history.reads[j]))
        found.pop(step, None)
        return list(found)

    def _offer_swap(
        self,
        number: int,
        node: Node,
        step: int,
        past: tuple[int, ...],
        asked: list[tuple[Any, int]],
        rival: int,
        reads: tuple[tuple[Any, int], ...],
        touched: list[Any],
    ) -> None:
        history = self.history
        printed = fingerprint(history.states[rival], [self._print(s) for _, s in reads])
        answer = _answer([printed if t in touched else self._print(s) for t, s in asked])
        if answer in node.tried:
            return
        base = len(history.numbers)
        places = [
            (history.numbers[rival], history.positions[rival]),
            (history.numbers[step], history.positions[step]),
        ]
        writes = tuple(dict.fromkeys((*history.writes[rival], *touched)))
        extras = (
            Extra(places[0][0], reads, writes),
            Extra(places[1][0], tuple((t, base if t in touched else s) for t, s in asked), history.writes[step]),
        )
        sources = [s for _, s in reads] + [s for t, s in asked if t not in touched]
        self._ask(number, node, answer, past, places, sources, extras)

    def _offer_swap_pending(
        self,
        number: int,
        node: Node,
        step: int,
        past: tuple[int, ...],
        asked: list[tuple[Any, int]],
        thread: int,
        target: Any,
    ) -> None:
        """Offer an acquire that stayed blocked, done just before the try-lock ``step``."""
        history = self.history
        position = len(history.threads[thread])
        if thread == history.numbers[step] or position and history.needs(history.threads[thread][-1], step):
            return
        source = dict(asked)[target]
        printed = fingerprint(history.final_states[thread], [self._print(source)])
        answer = _answer([printed if t == target else self._print(s) for t, s in asked])
        if answer in node.tried:
            return
        base = len(history.numbers)
        places = [(thread, position), (history.numbers[step], history.positions[step])]
        extras = (
            Extra(thread, ((target, source),), (target,)),
            Extra(places[1][0], tuple((t, base if t == target else s) for t, s in asked), history.writes[step]),
        )
        self._ask(number, node, answer, past, places, [s for _, s in asked], extras)

    def _offer_pending(self, number: int, node: Node, index: int, past: tuple[int, ...]) -> None:
        """Offer every write to something that waits for ever."""
        history = self.history
        thread, _, target = history.pending[index]
        position = len(history.threads[thread])
        if target not in history.writers:
            return
        for source in (INITIAL, *history.writers.get(target, ())):
            answer = self._print(source)
            if answer in node.tried:
                continue
            extra = Extra(thread, ((target, source),), ())
            self._ask(number, node, answer, past, [(thread, position)], [source], (extra,))

    # -- asking -----------------------------------------------------------------------------------------------------------

    def _ask(
        self,
        number: int,
        node: Node,
        answer: int,
        before: tuple[int, ...],
        places: list[tuple[int, int]],
        sources: list[int],
        extras: tuple[Extra, ...],
    ) -> bool:
        """Decide an alternative once and for all; if it is feasible, make it a seed and return true.

        ``places`` are the extra steps' threads and positions: their predecessors must happen, they themselves must not
        have happened before.
        """
        search, history = self.search, self.history
        node.tried.add(answer)
        past = list(before)
        for thread, position in places:
            history.include_before(past, thread, position)
        for source in sources:
            if source != INITIAL:
                history.include(past, source)
        if any(past[thread] > position for thread, position in places):
            verdict: Any = Infeasible()
        else:
            search.counters.queries += 1
            verdict = search.solver.solve(history, Query(tuple(past), extras))
        if isinstance(verdict, Feasible):
            base, tasks, points, numbers = len(history.numbers), history.tasks, history.points, history.numbers
            prefix = [
                tasks[numbers[step] if step < base else extras[step - base].thread]
                for step in verdict.order
                if step >= base or points[step]
            ]
            search._add(self.branch, number + 1, answer, prefix)
            return True
        if not isinstance(verdict, Infeasible):
            search.counters.unknown += 1
        search.journal.append(("tried", self.branch.number, number, answer))
        return False


def _answer(prints: list[int]) -> int:
    return prints[0] if len(prints) == 1 else hash(tuple(prints))
