"""Questions about the maximal causal model through z3: integer difference logic (patent, "Constraint Modeling").

Each event has an integer, its place in the order, and two truth values: that it takes place, and that all reads of its
thread up to and including its own give the same values as in the run. The rest encodes the definition in model.py; each
disjunction ranges over all other writes of a target, so the encoding is cubic if there are many writes and many reads.
This is the reference that `closure` is compared with; it is two to four orders of magnitude slower.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, assert_never

from mazurka.causal.history import INITIAL
from mazurka.causal.model import NEVER_LEFT, Model
from mazurka.causal.question import Before, Question, Sees
from mazurka.causal.solver import Answer, Assignment, Feasible, Infeasible, Unknown


def decide(model: Model, question: Question, seconds: float) -> Answer:
    import z3

    if question.hypothetical:
        return Unknown("only a run's history is asked about hypothetical events")
    solver = z3.Solver()
    solver.set("timeout", int(seconds * 1000))
    encoding = _Encoding(model, solver)
    encoding.events()
    encoding.reads()
    encoding.sections()
    encoding.question(question)
    verdict = solver.check()
    if verdict == z3.unsat:
        return Infeasible()
    if verdict != z3.sat:
        return Unknown(f"z3: {solver.reason_unknown()}")
    found = solver.model()
    return Feasible(encoding.order(found), encoding.assignment(found, question))


class _Encoding:
    def __init__(self, model: Model, solver: Any) -> None:
        import z3

        self.z3 = z3
        self.model = model
        self.solver = solver
        count = range(len(model.rank))
        self.place = [z3.Int(f"o{e}") for e in count]
        self.occurs = [z3.Bool(f"p{e}") for e in count]
        self.kept = [z3.Bool(f"k{e}") for e in count]
        self.writers: list[list[int]] = [[] for _ in range(model.targets)]
        for e in count:
            for x in model.write[model.write_at[e] : model.write_at[e + 1]]:
                self.writers[x].append(e)

    def events(self) -> None:
        """Program order, must-happen-before, and the reads that an event's existence depends on."""
        model, z3, add = self.model, self.z3, self.solver.add
        for e, thread in enumerate(model.thread):
            start = model.starts[thread]
            add(z3.Implies(self.kept[e], self.occurs[e]))
            if e > start:
                add(self.place[e - 1] < self.place[e], z3.Implies(self.occurs[e], self.occurs[e - 1]))
                add(z3.Implies(self.kept[e], self.kept[e - 1]))
            for needed in model.need[model.need_at[e] : model.need_at[e + 1]]:
                add(z3.Implies(self.occurs[e], z3.And(self._needed(needed), self.place[needed] < self.place[e])))
            for paired in self._pairs(e):
                add(z3.Implies(self.occurs[e], paired))
            if model.guard[e]:
                add(z3.Implies(self.occurs[e], self.kept[start + model.guard[e] - 1]))

    def _pairs(self, e: int) -> Iterator[Any]:
        """The order constraints of an event that happens, or could happen next."""
        model = self.model
        for i in range(model.pair_at[e], model.pair_at[e + 1]):
            first, second = model.pair_first[i], model.pair_second[i]
            both = self.z3.And(self.occurs[first], self.occurs[second])
            yield self.z3.Implies(both, self.place[first] < self.place[second])

    def _needed(self, e: int) -> Any:
        return self.kept[e] if self.model.keeps else self.occurs[e]

    def reads(self) -> None:
        model, z3 = self.model, self.z3
        for k, e in enumerate(model.read_event):
            group = model.read_group[k]
            sources = model.group[model.group_at[group] : model.group_at[group + 1]]
            when = self.occurs[e] if model.read_sync[k] else self.kept[e]
            self.solver.add(z3.Implies(when, z3.Or([self._sees(k, w, not model.read_sync[k]) for w in sources])))

    def _sees(self, k: int, w: int, valued: bool) -> Any:
        """The formula that read ``k`` takes its value from ``w``."""
        z3, e = self.z3, self.model.read_event[k]
        others = [u for u in self.writers[self.model.read_target[k]] if u not in (w, e)]
        if w == INITIAL:
            return z3.And([z3.Or(z3.Not(self.occurs[u]), self.place[e] < self.place[u]) for u in others])
        between = [
            z3.Or(z3.Not(self.occurs[u]), self.place[u] < self.place[w], self.place[e] < self.place[u]) for u in others
        ]
        return z3.And(self.occurs[w], self.kept[w] if valued else True, self.place[w] < self.place[e], *between)

    def sections(self) -> None:
        model = self.model
        for one, other in combinations(range(len(model.section_lock)), 2):
            if model.section_lock[one] == model.section_lock[other]:
                a, b = model.section_from[one], model.section_from[other]
                both = self.z3.And(self.occurs[a], self.occurs[b])
                self.solver.add(self.z3.Implies(both, self.z3.Or(self._left(one, b), self._left(other, a))))

    def _left(self, section: int, e: int) -> Any:
        """The formula that the section is left before ``e``."""
        left = self.model.section_to[section]
        return False if left == NEVER_LEFT else self.z3.And(self.occurs[left], self.place[left] < self.place[e])

    def question(self, question: Question) -> None:
        model, z3, add, event_of = self.model, self.z3, self.solver.add, self.model.event_of
        add(*[self.occurs[event_of[rank]] for rank in question.happen])
        for constraint in question.constraints:
            match constraint:
                case Before(a, b):
                    first, second = event_of[a], event_of[b]
                    add(self.occurs[first], self.occurs[second], self.place[first] < self.place[second])
                case Sees():
                    add(z3.Or([seen for _, seen in self._seen(constraint)]))
                case _:
                    assert_never(constraint)
        add(*[z3.Not(self.occurs[event_of[rank]]) for rank in question.never])
        for rank in (*question.next, *question.blocked):
            e = event_of[rank]
            start = model.starts[model.thread[e]]
            add(z3.Not(self.occurs[e]))
            if e > start:
                add(self.occurs[e - 1])
            if model.guard[e]:
                add(self.kept[start + model.guard[e] - 1])
            if rank in question.next:
                add(*[self._needed(needed) for needed in model.need[model.need_at[e] : model.need_at[e + 1]]])
                add(*self._pairs(e))

    def _seen(self, constraint: Sees) -> Iterator[tuple[int, Any]]:
        """The constraints of each source; the read's thread may not depend on a new value afterwards."""
        model, event_of = self.model, self.model.event_of
        e, x = event_of[constraint.read], model.target_numbers[constraint.target]
        k = next(k for k in range(model.read_at[e], model.read_at[e + 1]) if model.read_target[k] == x)
        group = model.read_group[k]
        usual = model.group[model.group_at[group] : model.group_at[group + 1]]
        for source in constraint.sources:
            w = INITIAL if source == INITIAL else event_of[source]
            unkept = True if w in usual else self.z3.Not(self.kept[e])
            yield source, self.z3.And(self.occurs[e], self._sees(k, w, True), unkept)

    def assignment(self, found: Any, question: Question) -> Assignment | None:
        """For each constraint on a read, the first of its sources that the solution satisfies."""
        asked = [each for each in question.constraints if isinstance(each, Sees)]
        seen = [next(w for w, holds in self._seen(each) if found.eval(holds, True)) for each in asked]
        return Assignment(tuple(seen)) if asked else None

    def order(self, found: Any) -> tuple[int, ...]:
        events = [e for e, occurs in enumerate(self.occurs) if found.eval(occurs, True)]
        events.sort(key=lambda e: found.eval(self.place[e], True).as_long())
        return tuple(self.model.rank[e] for e in events)
