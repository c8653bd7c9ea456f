"""Our complete decision procedure: closure as propagation, conflict-driven search over the remaining decisions.

Decides a :class:`~mazurka.causal.question.Question` about a :class:`~mazurka.causal.model.Model`, or about a run's
history.
The kernel (kernel.py) derives all orders that follow. Decisions that remain open are tried:

1. for a read that counts and has several possible sources: a write that is not hidden, first the source in the run;
2. for two writes of a target, or two sections of a lock, in unknown order: one of the orders. Such pairs are only
   looked for when needed: the events are arranged as in the run where that does no harm (:func:`.queries.arrange`). If
   all can be placed, the arrangement is the answer; otherwise the pair in the way is decided next.

A contradiction is explained back to the decisions it rests on. The last of these was wrong given the others: the search
jumps back to the last but one and enters the negation of the last as a fact, with the others as its reason (for the
choice of a source: that the read has another one). If a contradiction rests on no decision, no execution answers the
question, and the reason is the part of the model and the question that the explanations rested on.

Complete: every jump adds a fact to the level it returns to, of which there are finitely many; an arrangement of
all events is an answer, since it keeps every source and every section. Departs from SeqCheck (Alg. 4), which puts pairs
that are left open in the run's order and gives up where that fails.

Cost: see kernel.py for the closure; exponential at worst in the number of tries (deciding is NP-hard), of
which almost all questions need none. Gives up after ``limit`` contradictions.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any, assert_never

from mazurka.causal import kernel, state
from mazurka.causal.explain import ConflictReasons, explain
from mazurka.causal.fast_path import answer_fast
from mazurka.causal.history import History
from mazurka.causal.kernel import ASKED, INITIAL, LEARNT, LOOSE, OPEN
from mazurka.causal.model import Model, model_of_history
from mazurka.causal.question import Before, Question, Sees
from mazurka.causal.solver import Answer, Assignment, CausalModel, Feasible, Infeasible, Unknown, UnsatCore
from mazurka.causal.state import INTERPRETED, ClosureState, state_of
from mazurka.lazy_dataclass import dataclass


class ClosureSolver:
    """Decides questions. It keeps the closure of the model asked about last; answers about that do not name the
    constraints that refute a question."""

    name = "closure"

    def __init__(self, limit: int = 20_000) -> None:
        self.limit = limit
        self._latest: Closure | None = None
        self._asked = 0  # questions about the kept model

    def decide(self, model: CausalModel, question: Question) -> Answer:
        if isinstance(model, History):
            answer = None
            if question.is_plain:
                answer = answer_fast(model, model.prefixes(question.happen), question.hypothetical)
            return answer or close(model, question, self.limit)
        if question.hypothetical:
            return Unknown("only a run's history is asked about hypothetical events")
        if self._latest is None or self._latest.model is not model:
            self._latest, self._asked = Closure(model, self.limit, explains=False), 0
        elif not self._latest.compiled and state.is_worth_compiling(len(model.rank), self._asked):
            self._latest = Closure(model, self.limit, explains=False, compiled=True)
        self._asked += 1
        return _decide(self._latest, question)


def close(history: History, question: Question, limit: int = 20_000) -> Answer:
    """The answer to a question about a run's history by closure alone, without the fast path."""
    model, asked = model_of_history(history, question)
    return _decide(Closure(model, limit), asked)


def _decide(closure: Closure, question: Question) -> Answer:
    """The answer for the first choice of sources that has an order, if the question leaves a choice."""
    sees = [each for each in question.constraints if isinstance(each, Sees)]
    if not sees:
        return closure.decide(question)
    others = [each for each in question.constraints if not isinstance(each, Sees)]
    choices = list(product(*[each.sources for each in sees]))
    unknown: Unknown | None = None
    for sources in choices:
        chosen = [replace(each, sources=(source,)) for each, source in zip(sees, sources, strict=True)]
        answer = closure.decide(replace(question, constraints=(*others, *chosen)))
        if isinstance(answer, Feasible):
            return replace(answer, model=Assignment(sources))
        if isinstance(answer, Unknown):
            unknown = answer
        elif len(choices) == 1:
            return answer
    return unknown or Infeasible()


@dataclass(frozen=True, slots=True)
class _Decision:
    """The decision at a level: that ``a`` comes before ``b``, or that read ``a`` takes its value from ``b``."""

    source: bool
    a: int
    b: int
    mark: tuple[int, int]  # where the trail and the edges stood
    opened: int  # how many of the open reads had been passed


@dataclass(frozen=True, slots=True)
class _Frame:
    """The state to restore when a question is popped."""

    mark: tuple[int, int]
    possible: bool
    changed: list[tuple[Any, int, int]]  # (array, index, old value)


class Closure:
    """The state of a model under the questions pushed.

    Invariant: between calls the state is settled, at level 0 of the questions pushed. ``explains``: whether to name the
    constraints that refute a question, which takes longer than to refute it.
    """

    def __init__(self, model: Model, limit: int = 20_000, explains: bool = True, compiled: bool | None = None) -> None:
        self.model = model
        self.compiled = state.is_compiled(len(model.rank)) if compiled is None else compiled
        self.limit = limit
        self.explains = explains
        self.room = 8
        self.pushed: list[Question] = []
        self._begin()

    def _begin(self) -> None:
        self.state: ClosureState = state_of(self.model, self.room, self.compiled)
        self.kernel: Any = INTERPRETED
        self.state.reg[kernel.KEEPS] = int(self.model.keeps)
        self.handle: Any = self.state  # the state, as the kernel's functions take it
        if self.compiled:
            from mazurka.causal.compiled import COMPILED, handle_of

            self.kernel, self.handle = COMPILED, handle_of(self.state)
        self.frames: list[_Frame] = []
        self.possible = True
        self._forget()

    def _forget(self) -> None:
        self.tries: list[_Decision] = []
        self.reasons: list[frozenset[int]] = []  # by fact learnt: the levels it rests on
        self.refused: list[tuple[int, int, frozenset[int], int]] = []  # (read, source, reason, level)
        self.state.reg[kernel.REFUSED] = 0
        self.tried_at: dict[int, int] = {}  # by read: the level at which its source was tried
        self.core = ConflictReasons()
        self.contradictions = 0
        self.opened = 0

    # -- questions ----------------------------------------------------------------------------------------------------

    def decide(self, question: Question) -> Answer:
        """Answer ``question`` under the questions pushed. It must leave no choice of sources."""
        self.push(question)
        answer = self._search() if self.possible else self._impossible()
        while answer is None:  # the arrays were too small
            self._enlarge()
            answer = self._search() if self.possible else self._impossible()
        self.pop()
        return answer

    def push(self, question: Question) -> bool:
        """Take ``question`` for granted until popped; false if that is refuted without search."""
        self.pushed.append(question)
        self._enter(question)
        while self.state.reg[kernel.TROUBLE] == kernel.FULL:
            self._enlarge()
        return self.possible

    def pop(self) -> None:
        """Forget the last question pushed."""
        self.pushed.pop()
        frame = self.frames.pop()
        self.kernel.undo(self.handle, *frame.mark)
        self.state.reg[kernel.MARK] = self.frames[-1].mark[0] if self.frames else 0
        for where, index, old in reversed(frame.changed):
            where[index] = old
        self.state.reg[kernel.LEVEL] = 0
        self.possible = frame.possible

    def _enlarge(self) -> None:
        self.room *= 4
        pushed = self.pushed
        self._begin()
        for question in pushed:
            self._enter(question)

    def _enter(self, question: Question) -> None:
        k, h, event_of = self.kernel, self.handle, self.model.event_of
        self.frames.append(_Frame(self._mark(), self.possible, []))
        self._forget()
        pairs, reads = self._constraints(question)
        self._limit(question, reads)
        for rank in (*question.happen, *(rank for pair in pairs for rank in pair)):
            k.want(h, event_of[rank], False)
        for rank in (*question.next, *question.blocked):
            self._stand_before(event_of[rank], rank in question.next)
        for read, source in reads:
            self._see(read, source)
        for a, b in pairs:
            k.link(h, event_of[a], event_of[b], ASKED, 0, 0)
        self._settle()

    def _constraints(self, question: Question) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The constraints: ranks in order, and reads with the event to be seen."""
        pairs, reads = [], []
        for constraint in question.constraints:
            match constraint:
                case Before(first, second):
                    pairs.append((first, second))
                case Sees(read, target, sources):
                    (source,) = sources
                    reads.append(self._read(read, target, source))
                case _:
                    assert_never(constraint)
        return pairs, reads

    def _limit(self, question: Question, reads: list[tuple[int, int]]) -> None:
        """Threads stop before events that are to come next or never; no event may depend on reads that see a new
        value."""
        s = self.state
        for rank in (*question.next, *question.never, *question.blocked):
            event = self.model.event_of[rank]
            thread = s.thread[event]
            self._lower(s.cap, thread, event)
            if s.past[thread] > s.cap[thread]:
                self.kernel.contradict(self.handle, kernel.CAPPED, thread, event)
        for read, source in reads:
            self._change(s.fixed, read, source)
            group, event = s.choice[read], s.read_event[read]
            if source not in s.group[s.group_at[group] : s.group_at[group + 1]]:
                thread = s.thread[event]
                self._lower(s.keep_cap, thread, event)
                if s.kept[thread] > s.keep_cap[thread]:
                    self.kernel.contradict(self.handle, kernel.UNKEPT, thread, event)

    def _lower(self, caps: Any, thread: int, event: int) -> None:
        self._change(caps, thread, min(caps[thread], event - self.state.starts[thread]))

    def _change(self, where: Any, index: int, value: int) -> None:
        """Set an entry until the question is popped."""
        self.frames[-1].changed.append((where, index, int(where[index])))
        where[index] = value

    def _see(self, read: int, source: int) -> None:
        """The read happens and takes its value from ``source``."""
        s = self.state
        event = int(s.read_event[read])
        self.kernel.want(self.handle, event, False)
        self._settle()
        if s.reg[kernel.TROUBLE] != kernel.NONE:
            return
        if s.source[read] in (LOOSE, OPEN):
            self.kernel.bind(self.handle, read, source)
        elif s.source[read] != source:
            self.possible = False
            self.core.bound |= {(int(s.source[read]), event), (source, event)}

    def _mark(self) -> tuple[int, int]:
        """The state of the trail and the edges to return to."""
        reg = self.state.reg
        reg[kernel.MARK] = reg[kernel.TRAIL]
        return int(reg[kernel.TRAIL]), int(reg[kernel.EDGES])

    def _settle(self) -> None:
        self.kernel.settle(self.handle)
        self.possible &= self.state.reg[kernel.TROUBLE] == kernel.NONE

    def _stand_before(self, event: int, ready: bool) -> None:
        """The thread of ``event`` gets to the point before it; ``ready``: where the event could take place but for
        locks."""
        s, k, h = self.state, self.kernel, self.handle
        thread = s.thread[event]
        if event > s.starts[thread]:
            k.want(h, event - 1, False)
        for i in range(s.need_at[event], s.need_at[event + 1] if ready else s.need_at[event]):
            k.want(h, s.need[i], self.model.keeps)
        for i in range(s.pair_at[event], s.pair_at[event + 1] if ready else s.pair_at[event]):
            first, second = s.pair_first[i], s.pair_second[i]
            if kernel.wanted(s, first) and kernel.wanted(s, second):
                k.link(h, first, second, ASKED, 0, 0)
        if s.guard[event]:
            k.want(h, s.starts[thread] + s.guard[event] - 1, True)

    def _read(self, rank: int, target: Any, source: int) -> tuple[int, int]:
        model = self.model
        event, number = model.event_of[rank], model.target_numbers[target]
        read = next(k for k in range(model.read_at[event], model.read_at[event + 1]) if model.read_target[k] == number)
        return read, INITIAL if source == INITIAL else model.event_of[source]

    # -- search -------------------------------------------------------------------------------------------------------

    def _guess(self) -> Answer | None:
        """The answer with the sources of the run, if it needs no search."""
        s, k, h = self.state, self.kernel, self.handle
        mark = self._mark()
        k.guess(h)
        answer = self._arranged() if s.reg[kernel.TROUBLE] == kernel.NONE else None
        if answer is None and s.reg[kernel.TROUBLE] != kernel.FULL:
            k.undo(h, *mark)
            s.reg[kernel.MARK] = self.frames[-1].mark[0]
        return answer

    def _arranged(self) -> Feasible | None:
        s, total = self.state, int(sum(self.state.past))
        if self.kernel.arrange(self.handle) < total:
            return None
        return Feasible(tuple([int(s.rank[event]) for event in s.order[:total]]))

    def _search(self) -> Answer | None:
        reg = self.state.reg
        if reg[kernel.TROUBLE] == kernel.NONE and reg[kernel.OPENS]:
            answer: Answer | None = self._guess()
            if answer is not None:
                return answer
        while True:
            if reg[kernel.TROUBLE] == kernel.FULL:
                return None
            if reg[kernel.TROUBLE] != kernel.NONE:
                if not self._jump(explain(self)):
                    return self._impossible()
                if self.contradictions > self.limit:
                    return Unknown(f"gave up after {self.limit} contradictions")
                continue
            read = self._open_read()
            if read is not None:
                sources = self._sources(read)
                if sources:
                    self._try(True, read, sources[0])
                elif not self._jump(self._refute(read)):
                    return self._impossible()
                continue
            answer = self._arranged()
            if answer is not None:
                return answer
            self._try(False, *self._undecided())

    def _try(self, source: bool, a: int, b: int) -> None:
        s, k, h = self.state, self.kernel, self.handle
        self.tries.append(_Decision(source, a, b, self._mark(), self.opened))
        level = len(self.tries)
        s.reg[kernel.LEVEL] = level
        if source:
            self.tried_at[a] = level
            k.bind(h, a, b)
        else:
            k.link(h, a, b, kernel.DECIDED, level, 0)
        k.settle(h)

    def _jump(self, found: ConflictReasons) -> bool:
        """Go back to the level at which the contradiction adds a fact; false if it rests on no decision."""
        self.contradictions += 1
        self.core.add(found)
        if not found.levels:
            return False
        last = max(found.levels)
        reason = frozenset(found.levels - {last})
        level = max(reason, default=0)
        wrong = self.tries[last - 1]
        self.kernel.undo(self.handle, *self.tries[level].mark)
        self.opened = self.tries[level].opened
        del self.tries[level:]
        self.state.reg[kernel.MARK] = (self.tries[-1] if self.tries else self.frames[-1]).mark[0]
        self.tried_at = {read: at for read, at in self.tried_at.items() if at <= level}
        while self.refused and self.refused[-1][3] > level:
            self.refused.pop()
        self.state.reg[kernel.REFUSED] = len(self.refused)
        self.state.reg[kernel.LEVEL] = level
        if wrong.source:
            self._refuse(wrong.a, wrong.b, reason, level)
        else:
            self.reasons.append(reason)
            self.kernel.link(self.handle, wrong.b, wrong.a, LEARNT, len(self.reasons) - 1, 0)
            self.kernel.settle(self.handle)
        return True

    def _refuse(self, read: int, source: int, reason: frozenset[int], level: int) -> None:
        s, count = self.state, len(self.refused)
        if count == len(s.refused_read):
            s.reg[kernel.TROUBLE] = kernel.FULL
            return
        self.refused.append((read, source, reason, level))
        s.refused_read[count], s.refused_source[count] = read, source
        s.reg[kernel.REFUSED] = count + 1

    def _undecided(self) -> tuple[int, int]:
        """The order to try for an event that :func:`.queries.arrange` could not place without harm: (first, second)."""
        s = self.state
        event, where = int(s.reg[kernel.TROUBLE_X]), int(s.reg[kernel.TROUBLE_Y])
        if where >= self.model.targets:
            holder = int(s.section_from[s.owner[where - self.model.targets]])
            return (event, holder) if s.rank[event] < s.rank[holder] else (holder, event)
        write = int(s.holds[where])
        read = s.reader_head[write if write != INITIAL else len(s.thread) + where]
        while True:
            reader = s.read_event[read]
            thread = s.thread[reader]
            if s.read_target[read] == where and reader != event and reader - s.starts[thread] >= s.at[thread]:
                break
            read = s.reader_next[read]
        if write != INITIAL and s.rank[event] < s.rank[write]:
            return event, write
        return int(reader), event

    # -- sources ------------------------------------------------------------------------------------------------------

    def _open_read(self) -> int | None:
        """A read whose source is open: the next one; after a contradiction preferably one with at most one source
        left."""
        s = self.state
        if self.contradictions:
            read = int(self.kernel.most_bound(self.handle))
            if read >= 0:
                return read
        while self.opened < s.reg[kernel.OPENS]:
            read = int(s.opens[self.opened])
            if s.source[read] == OPEN:
                return read
            self.opened += 1
        return None

    def _sources(self, read: int, found: ConflictReasons | None = None) -> list[int]:
        """The sources an open read can still have, the likeliest first; reasons against the others are added to
        ``found``."""
        s, k, h = self.state, self.kernel, self.handle
        group, own = s.choice[read], self.model.read_source[read]
        left = []
        for i in range(s.group_at[group], s.group_at[group + 1]):
            source = int(s.group[i])
            hider = int(k.hider(h, read, source))
            refused = hider < 0 and k.refused(h, read, source)
            if hider < 0 and not refused:
                left.append(source)
            elif found is not None and refused:
                found.levels |= next(reason for r, w, reason, _ in self.refused if (r, w) == (read, source))
            elif found is not None:
                self._explain_hidden(read, source, hider, found)
        left.sort(key=lambda source: (source != own, source != INITIAL and self._is_absent(source)))
        return left

    def _is_absent(self, event: int) -> bool:
        s = self.state
        return bool(event - s.starts[s.thread[event]] >= s.past[s.thread[event]])

    def _explain_hidden(self, read: int, source: int, hider: int, found: ConflictReasons) -> None:
        event, edges = int(self.state.read_event[read]), int(self.state.reg[kernel.EDGES])
        if hider != event:
            found.orders.append((hider, event, edges))
            if source != INITIAL:
                found.orders.append((source, hider, edges))
        elif not self._is_absent(source):
            found.orders.append((event, source, edges))

    def _refute(self, read: int) -> ConflictReasons:
        found = ConflictReasons()
        found.reads.append(read)
        self._sources(read, found)
        return explain(self, found)

    def _impossible(self) -> Infeasible:
        if not self.explains:
            return Infeasible()
        if not self.core.asked and not self.core.bound:
            self.core.add(explain(self))
        s = self.state

        def rank(event: int) -> int:
            return INITIAL if event == INITIAL else int(s.rank[event])

        sources = {(rank(source), rank(reader)) for source, reader in self.core.bound}
        orders = {(rank(a), rank(b)) for a, b in self.core.asked}
        return Infeasible(UnsatCore(tuple(sorted(sources)), tuple(sorted(orders))))
