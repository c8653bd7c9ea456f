"""Maximal causality reduction: every reads-from class once, and one execution of the classes in which reads see equal
values.

Definition. Two runs are equivalent if every thread takes the same steps in both and every read takes its value from the
same write. This strategy visits each class once, following optimal stateless model checking modulo reads-from (Abdulla,
Atig, Jonsson, Lång, Ngo, Sagonas, OOPSLA 2019) on the maximal causal model (dissertation of S. Huang, ch. 3.1), with a
decision tree over event fingerprints instead of the papers' structures, and its own treatment of locks.

Executions. To visit a class means to learn from a run of it. The run is elided (memoised.py) if all steps of its
threads are known, and a run has ended in which all of them read the same values. So no two executions read the same
values. (Merging the branches of the tree by values, as seeds that make a read see a new *value* suggest, would lose
classes: a read's source constrains the steps around it.) ``dpor-rf`` executes every class.

The tree. A run is a path from the root. Nodes are questions with exactly one answer in every complete run below them:

- *source* node: which writes does the step of a thread in this state read from? (The state identifies the step in every
  run.)
- *taker* node: which thread acquires this lock next after this release? A waiting acquire is not asked for the previous
  holder, since the steps inside another thread's critical section can't be known before it has been executed. But after
  a release whose past is decided, with an acquire due, some acquire must take it: otherwise the run would not be
  complete.

Below a node all runs share the answers of the nodes before it, hence all steps these causally need. A run that
reaches a leaf appends its own reads and acquires, in log order, as nodes; those that are causally needed by nodes
before them have no alternatives and are left out.

Alternatives (walk.py, offers.py, asking.py). For each node on a run's path (inherited ones too), the run offers the
other writes of the target, resp. the other acquires, done or still blocked at its end. Also offered are events that the
run only nearly shows: for a source node of a step e, a step that reads, in the form that it would have before e. An
alternative is decided once per node, by its fingerprint, with one query: take the causal past of all nodes before, of
the alternative and of the step's predecessors; can this be ordered, with the step in it, all reads kept? The order is
the next run's prefix.

Completeness (induction over the causal past of the alternative). Take a complete run E below a node, which answers it
with w, the last write of the target before the step e in E. Either w is needed by the nodes before, so every run shows
it. Or take it out of E: no remaining step needs it; e reads an earlier write, and w can still happen at the end, as
itself if it reads no write of e or later steps, otherwise as a step that a run shows in another form. That run is below
an answer with a smaller past, is explored by induction, and shows w. For takers likewise: let the known taker go first;
the other is then seen, done or blocked. The one remaining case (a blocking read of a write that can be undone) is
approximated: the alternative is scheduled, and its run is a path of its own, unless it has been seen.

Threads held in loops. A thread whose next pass would repeat the one before is held (loops.py of the runtime) until a
location that the pass reads has another value. It stays there for good if the last write of each has the value that it
knows, and no read of any class says which write is the last: an answer with a smaller past does not tell. So once a run
has held a thread, the search begins again, and each run also offers those in which a thread stays where it went on
(held_threads.py).

Steps of several accesses (a call of C code). If the locations that such a step touches depend on the values it reads,
then no run below may show w in the form that it has in E: w reads locations that e, or steps needed before e,
overwrite, so it can only come before. Therefore a run offers its steps in other forms, too (forms.py, other_forms.py):
each step that could have read from other writes of the run, with the accesses that it is known to have after these.
Take w out of E, as above: the remaining steps, e, and then w's thread are a run below an answer with a smaller past. It
shows all writes that w reads from in E, so it offers w in its form there, if that is known. If it is not known, and
these reads are possible at all, the run waits: some run of the search will show the form, or else one is made for that
(a *probe*, which has no place in the tree). Then it offers again. Until then the accesses of a step are guessed to be
those that it has in the run; a run that refutes the guess is not taken in at nodes where its answers differ from those
asked for. Forms are not asked for steps at a site whose steps had a single access, a read, or looked up an item; if
they turn out to have several, the search begins again. A search that has been interrupted, or is divided among
processes, does not know all forms: it ends with a doubt if it meets such steps. So does a search in which the accesses
of a step are not in the order in which they depend on each other, or in which it remains open whether two objects are
one (objects.py). ``auto`` leaves the proof to ``se-mcr`` then.

Several processes. A lease is a number of branches with the nodes of their paths. The nodes that a worker adds below a
leased branch belong to it alone, so it goes on there by itself. Alternatives of its runs to the nodes above are not
executed, but given back, and the owner keeps the new ones. If two workers have made runs of one class (never two runs
that follow their seeds, but see the approximations), the owner notices it and drops the later one with all its
branches, just as a single process drops the run itself.

Order: predicted failures first (guidance.py), which only changes the order; then fewest deviations from the first run
first, as long as not too many branches wait; then most deviations first, which finishes open branches, so that memory
stays bounded. The alternatives of a run are computed at once only up to a limit; the others wait for their turn, so
that long runs, which offer millions of alternatives, do not block the search.

Cost: per run O(path x offers) set look-ups and one query per new alternative; 181 MB for a
million runs without elided ones; 439 MB, at 300,000, with the models by which runs are elided.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from math import inf
from time import perf_counter
from typing import Final, Self, cast

from mazurka.causal.history import History
from mazurka.causal.solver import Solver
from mazurka.causal.solvers import make_solver
from mazurka.explore.outcome import Predictions
from mazurka.explore.reads_from.alternatives import Alternatives, Holds
from mazurka.explore.reads_from.counters import McrCounters
from mazurka.explore.reads_from.decision_path import DecisionPath
from mazurka.explore.reads_from.entries import Entries, lease_records
from mazurka.explore.reads_from.feasibility import CandidateSchedule
from mazurka.explore.reads_from.forms import StepForms
from mazurka.explore.reads_from.guidance import Reason, SearchGuidance, View
from mazurka.explore.reads_from.held_threads import LOOPS, LoopsOfRun
from mazurka.explore.reads_from.objects import ObjectsOfRun
from mazurka.explore.reads_from.tree import NEVER, Branch
from mazurka.explore.strategy import Estimate, JournalRecord, Lease, Seed, Strategy, StrategySettings
from mazurka.explore.thread_models.memoised import MemoisedExecutions
from mazurka.lazy_dataclass import dataclass
from mazurka.program.conditions import UsesOf
from mazurka.program.protocol import Blocked, Plan, Run
from mazurka.program.source_analysis import SourceAnalysis
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber, StepIndex, ThreadIndex
from mazurka.trace.targets import Target, kind_of

#: The most queries for one run, and the most seconds, before other runs get their turn.
_PORTION: Final = 200
_MOMENT: Final = 0.2

#: The clock is looked at once in so many places where it may pause.
_PAUSES: Final = 16

#: The time of a query, and of a step of an elided run, in times of a step that is executed.
_QUERY: Final = 10
_ELIDED: Final = 3

#: The number of waiting branches from which on open branches are finished first.
_WIDE: Final = 100_000

#: The number of branches of a lease: at first, and at most. A worker gives the unfinished ones back.
_LEASED: Final = 32
_MOST_LEASED: Final = 2048


@dataclass(slots=True)
class _Offering:
    """A run whose alternatives have not all been computed."""

    branch: Branch
    offers: Alternatives
    rest: Iterator[CandidateSchedule | None]
    view: View


@dataclass(slots=True)
class _GrantedLease:
    """A granted lease: the branches to execute, and by number all branches that the worker knows."""

    branches: list[Branch]
    names: int
    known: dict[int, Branch] = field(default_factory=dict)


class ReadsFromSearch(Strategy):
    """The ``mcr`` strategy. With ``repeats`` it also executes runs whose reads see the same values as those of
    another."""

    name = "mcr"
    exhaustive = True
    needs_advance = True
    divisible = True

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        return cls(make_solver(settings.solver), source.uses_of, repeats=settings.races)

    def __init__(self, solver: Solver, uses: UsesOf | None = None, *, repeats: bool = False) -> None:
        self.solver = solver
        self.guidance = SearchGuidance(uses)
        self.memoised = MemoisedExecutions()
        if repeats:
            self.memoised.stop()
        self.counters = McrCounters()
        self.journal: list[JournalRecord] = []
        self.is_worker = False  # whether this search does part of another's work
        self.next_lease = 0
        self.portion = _LEASED  # the most branches of a lease, adapted to how many workers finish
        self.taken_kinds: set[str] = set()  # kinds of targets whose indivisible updates may have to wait (semaphores)
        self.forms = StepForms()
        self.by_forms = True  # whether the forms of steps are used; a part of a search does not know all of them
        self._clear()
        self._add(None, CandidateSchedule(0, NEVER, (), ()))

    def _clear(self) -> None:
        self.names: list[str] = []
        self.name_numbers: dict[str, int] = {}
        self.ready: Seed | None = None  # the next seed
        self.open: dict[int, Branch] = {}
        self.waiting: list[deque[Branch]] = [deque()]  # by depth
        self.unasked: list[deque[_Offering]] = [deque()]  # by the depth of their alternatives
        self.waiting_count = 0
        self.guidance.clear()
        self.seen: set[int] = set()
        self.asked: set[int] = set()  # about threads that may be held (held_threads.py)
        self.granted: dict[int, _GrantedLease] = {}
        self.next_number = 0
        self.forms.clear()
        self.again: dict[Branch, None] = {}  # runs that have further alternatives by newly known forms of steps
        self.held: dict[Branch, None] = {}  # runs that have offered all, unless the forms that they wait for differ

    # -- the protocol -------------------------------------------------------------------------------------------------

    def next_seed(self) -> Seed | None:
        self.advance(inf)
        seed, self.ready = self.ready, None
        return seed

    def advance(self, seconds: float) -> bool:
        end = perf_counter() + seconds
        while self.ready is None:
            branch = self._next(end)
            if branch is None:
                return not any(self.unasked)
            self.waiting_count -= 1
            prefix = self._decode(branch.prefix)
            elided = self.memoised.execution_of(prefix, 0 if branch.parent is None else branch.parent.like)
            if elided is None:
                with_values = self.guidance.records_values(branch, self.counters.runs)
                self.ready = Seed(
                    branch.number, Plan(prefix, keys=with_values or self.memoised.learns, arguments=with_values)
                )
                break
            del self.open[branch.number]
            branch.like = self.memoised.latest
            self.guidance.out.pop(branch.number, None)
            repeated = self.counters.repeated
            self.counters.elided += len(elided.log)
            before = self._doubtful()
            self._learn(branch, elided, with_values=False)
            self.counters.repeated = repeated  # no run was made
            if self._doubtful() != before:
                self.journal.append(("doubts", *self._doubtful()))
            if perf_counter() >= end:
                return False
        return True

    def _next(self, end: float) -> Branch | None:
        """The next execution; None if none is left, or if it can't be decided before the time ``end``."""
        while True:
            branch = self.guidance.pop()
            if branch is not None:
                return branch
            for depth in self._depths():
                if self._has_waiting(depth) or (asked := self._has_unasked(depth)) and self._find_more(depth):
                    return self.waiting[depth].popleft()
                if asked and perf_counter() >= end:  # so each call does some work, however short its time
                    return None
            if not any(self.guidance) and not any(self.unasked) and not self._resolve():
                return None

    def _resolve(self) -> bool:
        """Queue the runs that have further alternatives by newly known forms, or a probe that shows a form."""
        if not self.again:
            probe = self.forms.next_probe()
            self._release()
            if probe is None:
                return False
            key, prefix = probe
            branch = Branch(self.next_number, None, 0, NEVER, self._encode(prefix))
            branch.probe = key
            self.next_number += 1
            self.enqueue(branch)
            return True
        for branch in self.again:
            self.held.pop(branch, None)
            branch.known = True
            self.enqueue(branch)
        self.again.clear()
        return True

    def _depths(self) -> Sequence[int]:
        """The depths of branches in the order in which they are taken."""
        depths = range(max(len(self.waiting), len(self.unasked)))
        return depths if self.waiting_count < _WIDE else depths[::-1]

    def _has_waiting(self, depth: int) -> bool:
        return depth < len(self.waiting) and bool(self.waiting[depth])

    def _has_unasked(self, depth: int) -> bool:
        return depth < len(self.unasked) and bool(self.unasked[depth])

    def _find_more(self, depth: int) -> bool:
        """Compute further alternatives of a run at this depth; returns whether that made a seed."""
        offering = self.unasked[depth].popleft()
        if not self._ask_on(offering, _PORTION):
            self.unasked[depth].append(offering)
        return self._has_waiting(depth)

    def observe(self, seed: Seed, run: Run) -> None:
        self.counters.runs += 1
        branch = self.open.pop(seed.number, None)
        if branch is None:
            return  # the seed was handed out before the reset of the tree
        if branch.number in self.guidance.out:
            self.guidance.compare(branch, run, self.counters.runs, self._before(branch))
        if known := self.memoised.learn(run):
            self.journal.append(("known", known))
        branch.like = self.memoised.latest
        before = self._doubtful()
        if run.divergence is not None:
            self._diverged(branch, seed, run)
        else:
            self._learn(branch, run, seed.plan.arguments)
        if self._doubtful() != before:
            self.journal.append(("doubts", *self._doubtful()))

    def _doubtful(self) -> tuple[int, int, int, int]:
        counters = self.counters
        return counters.lost, counters.unknown, counters.capped, int(self._varies())

    def _varies(self) -> bool:
        return self.counters.varying or self.forms.contradicted or bool(self.forms.objects.guesses)

    def effort(self) -> int:
        return _QUERY * self.counters.queries + _ELIDED * self.counters.elided

    def estimate(self) -> Estimate:
        done = self.counters.runs
        granted = sum(len(lease.branches) for lease in self.granted.values())
        waiting = self.waiting_count + granted + sum(map(len, self.unasked))
        return Estimate(done, waiting, None if waiting else float(done))

    def _before(self, branch: Branch) -> int:
        """How many waiting branches would have been executed before this one if it were not preferred."""
        depth = branch.depth + branch.known
        shallower = sum(map(len, self.waiting[:depth])) + sum(each.depth < depth for each in self.guidance)
        alike = self.waiting[depth] if depth < len(self.waiting) else ()
        return shallower + sum(each.number < branch.number for each in alike)

    def predictions(self) -> Predictions:
        return self.guidance.predictions()

    def summary(self) -> str:
        return self.guidance.summary()

    def incompleteness_reason(self) -> str:
        counters, parts = self.counters, []
        if counters.lost:
            parts.append(f"{counters.lost} schedules that should be possible could not be followed")
        if counters.unknown:
            parts.append(f"{counters.unknown} questions were too hard for the solver")
        if counters.capped:
            parts.append(f"{counters.capped} steps read too many locations to try all combinations")
        if self._varies() or self.forms.waiting:
            parts.append("which locations a step accesses may depend on values that other threads change")
        return "; ".join(parts)

    # -- seeds --------------------------------------------------------------------------------------------------------

    def _encode(self, prefix: Iterable[str]) -> bytes:
        names = list(prefix)
        try:
            return array("H", map(self.name_numbers.__getitem__, names)).tobytes()
        except KeyError:  # a new name
            return array("H", map(self.code, names)).tobytes()

    def code(self, name: str) -> int:
        """The number of a name in prefixes."""
        number = self.name_numbers.get(name)
        if number is None:
            number = self.name_numbers[name] = len(self.names)
            self.names.append(name)
            self.journal.append(("name", name))
        return number

    def _decode(self, prefix: bytes) -> tuple[str, ...]:
        numbers = array("H")
        numbers.frombytes(prefix)
        names = self.names
        return tuple([names[number] for number in numbers])

    def _add(
        self, parent: Branch | None, wanted: CandidateSchedule, retry: Branch | None = None, why: Reason | None = None
    ) -> None:
        prefix = self._encode(wanted.prefix)
        branch = Branch(
            self.next_number, parent, wanted.cut, wanted.answer, prefix, wanted.asked, retry is not None, wanted.above
        )
        self.next_number += 1
        self.record_branch(branch)
        if retry is not None:
            branch.shared = retry.shared
        if wanted.cut <= branch.shared and retry is None and parent is not None:
            return
        if why is not None:
            self.open[branch.number] = branch
            self.guidance.add(branch, why)
            self.waiting_count += 1
        else:
            self.enqueue(branch)

    def record_branch(self, branch: Branch) -> None:
        """Add a new branch to the journal."""
        above = -1 if branch.parent is None else branch.parent.number
        asked = " ".join(map(str, branch.asked))
        self.journal.append(
            ("seed", branch.number, above, branch.cut, branch.answer, branch.prefix, asked, branch.special)
        )

    def enqueue(self, branch: Branch, first: bool = False) -> None:
        """Queue a branch."""
        self.open[branch.number] = branch
        depth = branch.depth + branch.known
        while len(self.waiting) <= depth:
            self.waiting.append(deque())
        if first:
            self.waiting[depth].appendleft(branch)
        else:
            self.waiting[depth].append(branch)
        self.waiting_count += 1

    def _diverged(self, branch: Branch, seed: Seed, run: Run) -> None:
        """Handle a run that could not follow its seed.

        If the entry is the step asked for, its thread has to wait there: the branch is tried without it. If it is
        another entry asked for, its thread has not been woken, which the log does not show.
        """
        assert run.divergence is not None
        wanted = seed.plan.prefix[run.divergence.index]
        if self._waited_for(b for b in run.blocked if run.tasks[b.task] == wanted):
            return
        self.counters.diverged += 1
        self.journal.append(("done", branch.number, branch.inherited, b"", -1))
        if branch.above or branch.probe:
            history = self._model(run)
            self._learn_forms(history, run, DecisionPath(history, branch, self.taken_kinds).data_steps())
            if branch.above:
                self._guessed_wrong(branch)
            return
        if run.divergence.harmless:
            return
        index = run.divergence.index
        if index not in branch.asked or not run.divergence.waits:
            self.counters.lost += 1
        elif index == branch.asked[-1] and not branch.retry:
            prefix = (*seed.plan.prefix[:index], *seed.plan.prefix[index + 1 :])
            self._add(
                branch.parent, CandidateSchedule(branch.cut, branch.answer, prefix, branch.asked[:-1]), retry=branch
            )

    # -- learning -----------------------------------------------------------------------------------------------------

    def _learn(self, branch: Branch, run: Run, with_values: bool) -> None:
        if self._waited_for(run.blocked):
            return
        history = self._model(run)
        walk = DecisionPath(history, branch, self.taken_kinds)
        data_steps = walk.data_steps()
        learnt = self._learn_forms(history, run, data_steps)
        if learnt is None:
            return
        several, objects = learnt
        if branch.probe:
            self.counters.varying |= self.forms.is_awaited(branch.probe)
            return
        if branch.known:
            walk.again()
        else:
            signature = history.signature()
            if signature in self.seen:
                self.counters.repeated += 1
                self.journal.append(("done", branch.number, branch.inherited, b"", -1))
                return
            self.seen.add(signature)
            walk.inherited()
            if walk.mispredicted or (branch.above and walk.actual is not None):
                self._guessed_wrong(branch)
            if walk.mispredicted:
                self.seen.discard(signature)
                self.journal.append(("done", branch.number, branch.inherited, b"", -1))
                return
            walk.own()
            flat = array("q")
            for node, answer in zip(branch.nodes, walk.answers, strict=True):
                flat.extend((node.asks, node.first, node.second, answer))
            self.journal.append(("done", branch.number, branch.inherited, flat.tobytes(), signature))
            if walk.actual is not None:
                self.journal.append(("tried", branch.number, branch.cut - 1, walk.actual))
        offers = Alternatives(
            walk,
            self.solver,
            self.counters,
            self.forms if self.by_forms else None,
            data_steps,
            several,
            objects,
            (LoopsOfRun(history, run.log, _polled(run)), Holds(self.seen, self.asked))
            if LOOPS in self.taken_kinds
            else None,
        )
        view = self.guidance.view(run, history, self.counters.runs, with_values)
        offering = _Offering(branch, offers, offers.all(), view)
        if not self._ask_on(offering, _PORTION):
            while len(self.unasked) <= branch.depth + 1:
                self.unasked.append(deque())
            self.unasked[branch.depth + 1].append(offering)

    def _guessed_wrong(self, branch: Branch) -> None:
        """Forget an answer that rested on a wrong guess of a step's accesses; runs that wait for the step's form will
        ask again."""
        assert branch.parent is not None
        branch.parent.node(branch.cut - 1).tried.discard(branch.answer)
        self.counters.varying |= not self.by_forms  # otherwise runs wait for the form

    def _learn_forms(
        self, history: History, run: Run, data_steps: Sequence[StepIndex]
    ) -> tuple[list[StepIndex], ObjectsOfRun | None] | None:
        """Learn the forms of steps; returns the steps that may have several accesses, and the objects of the run if
        there are such steps, or None if the search has to begin again."""
        if not self.by_forms:
            return [], None
        sites, forms = cast("list[SiteNumber]", [entry[3] for entry in run.entries()]), self.forms
        if forms.sort(history, sites, data_steps):
            self._reset(set())
            return None
        several = [step for step in data_steps if sites[step] in forms.several]
        objects = forms.objects_of(history) if several else None
        if objects is not None:
            self.again |= dict.fromkeys(forms.learn(history, several, objects))
            self._release()
        return several, objects

    def _model(self, run: Run) -> History:
        return History(run.tasks, run.entries(), [each for each in run.blocked if not each.never])

    def _ask_on(self, offering: _Offering, portion: int) -> bool:
        """Compute further alternatives of a run; true if these were the last."""
        branch, impossible = offering.branch, offering.offers.asking.impossible
        enough, end = self.counters.queries + portion, perf_counter() + _MOMENT
        finished, pauses = True, 0
        for wanted in offering.rest:
            if wanted is not None:
                self._add(branch, wanted, why=self.guidance.reason(offering.view, wanted))
                continue
            pauses += 1
            if self.counters.queries >= enough or (pauses % _PAUSES == 0 and perf_counter() >= end):
                finished = False
                break
        self.journal += [
            ("tried", branch.number, number, answer)
            for number, answer in impossible
            if answer in branch.node(number).tried  # otherwise it has been taken back
        ]
        impossible.clear()
        for unresolved in offering.offers.unresolved():
            self.forms.wait(branch, unresolved)
        if finished and (branch in self.forms.open or branch in self.again):
            self.held[branch] = None
        elif finished:
            self._offered(branch)
        return finished

    def _offered(self, branch: Branch) -> None:
        self.journal.append(("offered", branch.number))
        branch.prefix = b""

    def _release(self) -> None:
        """Mark runs that have offered all alternatives, and wait for no forms, as done."""
        for branch in self.forms.settled:
            if branch in self.held and branch not in self.again:
                del self.held[branch]
                self._offered(branch)
        self.forms.settled.clear()

    def _waited_for(self, blocked: Iterable[Blocked]) -> bool:
        """Whether updates of further kinds of targets had to wait, or threads in loops; if so, reset the search."""
        blocked = list(blocked)
        kinds = {kind_of(b.target).tag for b in blocked if b.op is Op.RMW}
        if any(b.repeats is not None for b in blocked):
            kinds.add(LOOPS)
        kinds -= self.taken_kinds
        if kinds:
            self._reset(kinds)
        return bool(kinds)

    def _reset(self, kinds: set[str]) -> None:
        """Begin again: targets of these kinds turned out to be waited for, so their nodes ask the wrong question."""
        self.taken_kinds |= kinds
        self._clear()
        self.journal.clear()
        self.journal.append(("reset", " ".join(sorted(self.taken_kinds))))
        self.journal.append(("doubts", *self._doubtful()))
        self.journal += [("known", known) for known in self.memoised.known()]
        if not self.is_worker:
            self._add(None, CandidateSchedule(0, NEVER, (), ()))

    # -- journal ------------------------------------------------------------------------------------------------------

    def records(self) -> list[JournalRecord]:
        records, self.journal = self.journal, []
        return records

    def restore(self, records: Iterable[JournalRecord]) -> None:
        entries: Entries | None = None
        for record in records:
            if entries is None or record[0] == "reset":
                self._clear()
                entries = Entries(self)
            entries.enter(record)
        if self.is_worker:
            self.memoised.stop()  # other workers do not learn its runs
        if entries is None:
            return
        self.by_forms = False
        self.memoised.recall(entries.known)
        for branch in entries.branches.values():
            if entries.is_open(branch):
                branch.shared = 0 if not self.is_worker else len(branch.path()) if branch.known else branch.cut
                self.enqueue(branch)
        self.next_number = max(entries.branches) + 1
        self.counters.runs = sum(not branch.known for branch in entries.done)
        self.journal.clear()

    def share_state(self, owner: Self) -> None:
        self.memoised.share_state(owner.memoised)

    def grant_leases(self, parts: int) -> list[Lease]:
        self._leave_forms()
        self._put_off()
        portion = min(self.portion, -(-self.waiting_count // parts))
        taken: list[Branch] = []
        while len(taken) < portion * parts and (branch := self.guidance.pop()) is not None:
            taken.append(branch)
            del self.guidance.out[branch.number]  # the worker decides itself
        for depth in self._depths():
            waiting = self.waiting[depth] if depth < len(self.waiting) else deque()
            while waiting and len(taken) < portion * parts:
                taken.append(waiting.popleft())
        self.waiting_count -= len(taken)
        leases = []
        for branches in filter(None, (taken[part::parts] for part in range(parts))):
            granted = self.granted[self.next_lease] = _GrantedLease(branches, len(self.names))
            leases.append(Lease(self.next_lease, lease_records(self.names, self.taken_kinds, branches, granted.known)))
            self.next_lease += 1
        return leases

    def _leave_forms(self) -> None:
        """Stop using forms, which other processes would not know; runs that wait for forms offer all alternatives
        again."""
        self.by_forms = False
        for branch in {**self.again, **self.held}:
            branch.known = True
            self.enqueue(branch)
        self.again.clear()
        self.held.clear()
        self.forms.clear()

    def _put_off(self) -> None:
        """Queue runs whose alternatives have not all been computed, so that other processes can compute them."""
        for offerings in self.unasked:
            while offerings:
                branch = offerings.popleft().branch
                branch.known = True
                self.enqueue(branch)

    def settle_lease(self, number: int, records: Iterable[JournalRecord] | None) -> None:
        granted = self.granted.pop(number, None)
        if granted is None:
            return  # granted before the reset of the tree
        entries = Entries(self, granted.known, granted.names)
        for record in records or ():
            if record[0] == "reset":
                self._reset(set(record[1].split()))
                return
            entries.enter(record)
        left = any(map(entries.is_open, granted.branches))
        self.portion = max(self.portion // 2, _LEASED) if left else min(2 * self.portion, _MOST_LEASED)
        for branch in reversed(granted.branches):
            if entries.is_open(branch):
                self.enqueue(branch, first=not branch.known)
            else:
                self.open.pop(branch.number, None)
        for branch in entries.made:
            if entries.is_open(branch):
                self.enqueue(branch)


def _polled(run: Run) -> dict[ThreadIndex, tuple[Target, ...]]:
    """The locations that threads read in loops in which they are held at the end of a run."""
    return {blocked.task: blocked.repeats for blocked in run.blocked if blocked.repeats is not None}


class ReadsFromClasses(ReadsFromSearch):
    """The ``dpor-rf`` strategy: an execution of every class."""

    name = "dpor-rf"

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        return cls(make_solver(settings.solver), source.uses_of, repeats=True)
