"""Decides whether two calls that do not commute can come in the other order, and whether that makes a difference.

Definition (thesis, 3.3.1 and 3.3.2, generalised as the maximal causal model is). A *correct reordering* of a trace
whose calls are events (:mod:`mazurka.trace.call_events`) has a prefix of each thread. Reads, and calls, return the same
values as in the trace if an event depends on that; results of calls are those of the executable model of the type,
whichever other calls come before. A call that does more takes place in the same state of its object as in the trace.
Two calls of one object that do not commute are a *commutativity order violation* if after some correct reordering the
later one has taken effect and the earlier one is about to begin, and if a result of the two, or the state that all
calls until then lead to, differs from the one that the calls have in the order of the trace.

First the causal model is asked, for which calls are events without effect: an order that it refutes is infeasible. An
order that it finds is taken if the models of the types confirm it; otherwise all orders are searched, within a limit
(search.py).

Cost: a question to the causal model, and for some of the pairs a search.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from mazurka.causal.question import Question
from mazurka.causal.solver import Infeasible
from mazurka.commute.formula import State
from mazurka.predict.call_orders.objects import ModelledCalls
from mazurka.predict.call_orders.search import Found, OrderSearch
from mazurka.predict.questions import Questions, Verdict
from mazurka.trace.call_events import Receiver, receiver_of
from mazurka.trace.event import Op
from mazurka.trace.ids import StepIndex
from mazurka.witness.witness import CallsReversed, Witness


class CallOrders:
    """Decides claims about one trace."""

    def __init__(self, calls: ModelledCalls, window: int | None = None) -> None:
        self._calls, self._window = calls, window

    @cached_property
    def _questions(self) -> Questions:
        return Questions(self._calls.events.trace, self._window)

    @cached_property
    def _search(self) -> OrderSearch:
        return OrderSearch(self._calls)

    def ask(self, claim: CallsReversed) -> Verdict:
        """A witness of the claim, completed with the results of the calls; or that there is none."""
        first, second = (self._calls.events.effect[row] for row in (claim.first, claim.second))
        answer = self._questions.prove(claim, Question(happen=(second,), next=(claim.first,)))
        if isinstance(answer, Witness):
            changed = self._changed(answer.order, answer.prefix)
            if changed is not None:
                found = self._witness(claim, answer.order, changed | answer.unread, first, second, answer.prefix)
                if found is not None:
                    return replace(found, prefix=answer.prefix)
        elif isinstance(answer, Infeasible):
            return answer
        searched = self._search.decide(first, second, claim.first)
        if not isinstance(searched, Found):
            return searched
        changed = frozenset(map(StepIndex, searched.changed))
        return self._witness(claim, searched.order, changed, first, second) or Infeasible()

    def _changed(self, order: tuple[int, ...], prefix: int) -> frozenset[StepIndex] | None:
        """The calls in an order, after the first ``prefix`` rows of the trace, whose results differ from the trace;
        None if the order is not known to be possible, as when a thread goes on after such a call."""
        events, thread = self._calls.events, self._calls.trace.thread
        if any(row < prefix for row in events.unfinished):
            return None
        last = {int(thread[row]): row for row in order}
        trace = self._calls.trace
        joined = {int(trace.thread_of_target[trace.target[row]]) for row in order if trace.op[row] == Op.JOIN}
        states: dict[Receiver, tuple[State, ...]] = {}
        done: set[int] = set()
        changed: set[StepIndex] = set()
        for row in order:
            done.add(row)
            if row in events.unfinished:
                return None
            if row not in events.calls:
                continue
            receiver = receiver_of(events.calls[row])
            if receiver not in states:
                states[receiver] = self._calls.states_at(receiver, prefix)
            if row in events.doing_more and states[receiver] != self._calls.recorded[row]:
                return None
            made = [self._calls.step(row, state) for state in states[receiver]]
            known = [each for each in made if each is not None and each[0] is not None]
            ready = all(each < prefix or each in done for each in events.made[receiver])
            if len(known) < len(made) or not ready:
                return None
            if any(result != self._calls.texts[row] for result, _ in known):
                if last[int(thread[row])] != row or int(thread[row]) in joined:
                    return None
                changed.add(StepIndex(row))
            states[receiver] = tuple(state for _, state in known)
        return frozenset(changed)

    def _witness(
        self,
        claim: CallsReversed,
        order: tuple[int, ...],
        changed: frozenset[StepIndex],
        first: int,
        second: int,
        prefix: int = 0,
    ) -> Witness | None:
        """The order, after the first ``prefix`` rows of the trace, as a witness; None if results and states are the
        same as in the trace, or if calls in it may have other arguments."""
        events, thread = self._calls.events, self._calls.trace.thread
        if self._has_calls_after(order, changed) or any(thread[row] == thread[first] for row in changed):
            return None
        receiver = receiver_of(events.calls[first])
        called = [row for row in order if row in events.calls and receiver_of(events.calls[row]) == receiver]
        returns = self._calls.makes_a_difference([*called, first], first, second, prefix)
        if returns is None:
            return None
        claim = replace(claim, objects=self._calls.assumed, returns=returns)
        return Witness(tuple(map(StepIndex, order)), changed, claim)

    def _has_calls_after(self, order: tuple[int, ...], changed: frozenset[StepIndex]) -> bool:
        """Whether a call comes after a read by its thread whose value differs from the trace."""
        thread, broken = self._calls.trace.thread, set[int]()
        for row in order:
            if row in self._calls.events.calls and int(thread[row]) in broken:
                return True
            if row in changed:
                broken.add(int(thread[row]))
        return False
