"""The second solver: integer difference logic through z3 (dissertation of S. Huang, ch. 3.1.2).

One integer per step, its place in the order. Program order and reads-from are inequalities; for each read and every
other writer of its target a disjunction keeps that writer from coming between the read and its source. A search with it
takes ten to thirty times as long; it is independent of our solvers, and serves to check them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from mazurka.causal import z3_questions
from mazurka.causal.history import INITIAL, History
from mazurka.causal.model import model_of_history
from mazurka.causal.question import Question
from mazurka.causal.solver import Answer, CausalModel, Feasible, Infeasible, Unknown
from mazurka.trace.ids import StepIndex


class Z3Solver:
    """Decides questions with z3; ``seconds`` bounds each."""

    name = "z3"

    def __init__(self, seconds: float = 60.0) -> None:
        self.seconds = seconds

    def decide(self, model: CausalModel, question: Question) -> Answer:
        if not isinstance(model, History):
            return z3_questions.decide(model, question, self.seconds)
        if not question.is_plain:
            return z3_questions.decide(*model_of_history(model, question), self.seconds)
        return self._decide_plainly(model, question)

    def _decide_plainly(self, history: History, question: Question) -> Answer:
        import z3

        rows = [history.threads[t][:length] for t, length in enumerate(history.prefixes(question.happen))]
        base = len(history.numbers)
        for number, extra in enumerate(question.hypothetical):
            rows[extra.thread].append(StepIndex(base + number))
        place: dict[int, Any] = {step: z3.Int(f"o{step}") for row in rows for step in row}
        solver = z3.SolverFor("QF_IDL")
        solver.set("timeout", int(self.seconds * 1000))
        for row in rows:
            for earlier, later in pairwise(row):
                solver.add(place[earlier] < place[later])
        self._keep_reads(solver, place, history, question)
        verdict = solver.check()
        if verdict == z3.unsat:
            return Infeasible()
        if verdict != z3.sat:
            return Unknown(f"z3: {solver.reason_unknown()}")
        model = solver.model()
        return Feasible(tuple(sorted(place, key=lambda step: (model.eval(place[step], True).as_long(), step))))

    def _keep_reads(self, solver: Any, place: dict[int, Any], history: History, question: Question) -> None:
        import z3

        base = len(history.numbers)
        writers: dict[Any, list[int]] = {}
        accesses = {}
        for step in place:
            extra = question.hypothetical[step - base] if step >= base else None
            reads = history.reads[step] if extra is None else extra.reads
            for target in history.writes[step] if extra is None else extra.writes:
                writers.setdefault(target, []).append(step)
            accesses[step] = reads
        for step, reads in accesses.items():
            for target, source in reads:
                others = [w for w in writers.get(target, ()) if w not in (source, step)]
                if source == INITIAL:
                    solver.add(*[place[step] < place[w] for w in others])
                    continue
                solver.add(place[source] < place[step])
                for w in others:
                    solver.add(z3.Or(place[w] < place[source], place[step] < place[w]))
