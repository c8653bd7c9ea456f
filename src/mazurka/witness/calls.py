"""Checks claims about calls of a recorded trace: two come in the other order, and results or states differ.

Calls of the objects that the claim names are single events (:mod:`mazurka.trace.call_events`). An order is feasible if
it is feasible for the trace with these events (:mod:`mazurka.witness.columns`) and, by the executable models of the
types,

1. in the order of the trace the calls return the recorded results, from each possible initial state of an object;
2. in the order of the witness each call can be made, and has the same result, or is among ``unread``;
3. no call comes after an unread step of its thread, since its arguments might differ; and no step of a thread comes
   after a call of it with another result, whether or not the trace records branches;
4. a call with effects beyond those of the model takes place in the same state of its object as in the trace;
5. the events that made an object come before all its calls, and no call that has not returned in the trace has begun.

Shares no code with the search for orders. Cost: that of columns.py, and some microseconds for each call of the trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from mazurka.trace.call_events import CallEvents, Receiver, call_events, receiver_of
from mazurka.trace.event import Op
from mazurka.trace.invocations import Invocation
from mazurka.trace.literals import text_of
from mazurka.trace.logged_calls import WAITS, CallEffect, CallSemantics
from mazurka.trace.trace import Trace
from mazurka.witness.columns import RecordedTrace
from mazurka.witness.witness import CallsReversed, Witness

#: The text of a state that is not known.
_UNKNOWN: Final = ""


class CallChecker:
    """Checks such claims for one trace. ``semantics`` has the models of types."""

    def __init__(self, trace: Trace, semantics: CallSemantics) -> None:
        self._trace, self._semantics = trace, semantics
        self._known: tuple[frozenset[Receiver], CallEvents, RecordedTrace] | None = None

    def objections(self, witness: Witness, claim: CallsReversed) -> Iterator[str]:
        """All objections to a witness."""
        begins = {(each.type_name, each.name): each.states for each in claim.objects}
        if len(begins) < len(claim.objects) or not all(begins.values()):
            yield "an object is named twice, or without a state"
            return
        events, recorded = self._events(frozenset(begins))
        first, second = events.effect.get(claim.first), events.effect.get(claim.second)
        if first is None or second is None:
            yield f"steps {claim.first} and {claim.second} do not begin calls of objects that are named"
            return
        yield from recorded.objections(replace(witness, claim=None))
        recorded_states: dict[int, list[str]] = {}
        for receiver, states in begins.items():
            own = {row: call for row, call in events.calls.items() if receiver_of(call) == receiver}
            yield from self._as_recorded(own, states, recorded_states)
        order = [*range(witness.prefix), *witness.order]
        yield from self._called(order, witness.unread, events, begins, recorded_states)
        yield from self._reversed(order, witness.unread, events, first, second)
        yield from self._makes_a_difference(order, events, (first, second), begins, claim)

    def _events(self, receivers: frozenset[Receiver]) -> tuple[CallEvents, RecordedTrace]:
        if self._known is None or self._known[0] != receivers:
            events = call_events(self._trace, receivers)
            self._known = receivers, events, RecordedTrace(events.trace)
        return self._known[1:]

    def _outcome(self, call: Invocation, state: str) -> CallEffect | None:
        """The effect of a call in a state; None if the call would have to wait, or its effect is not known."""
        made = self._semantics.outcome(call.type_name, call.method, text_of(call.arguments), state)
        return CallEffect("", _UNKNOWN) if made is WAITS else made if isinstance(made, CallEffect) else None

    def _as_recorded(
        self, calls: Mapping[int, Invocation], states: Iterable[str], recorded: dict[int, list[str]]
    ) -> Iterator[str]:
        """Objections to the results of the calls in the trace; enters into ``recorded`` the states in which each
        begins."""
        for begin in states:
            state = begin
            for row, call in calls.items():
                recorded.setdefault(row, []).append(state)
                made = self._outcome(call, state)
                if made is None or made.result != text_of(call.result):
                    yield f"{call} has another result if the object began as {begin}"
                    break
                state = made.after

    def _called(
        self,
        order: Sequence[int],
        unread: frozenset[int],
        events: CallEvents,
        begins: Mapping[Receiver, tuple[str, ...]],
        recorded: Mapping[int, Sequence[str]],
    ) -> Iterator[str]:
        """Objections to calls in the order: each must be possible, and have the recorded result."""
        thread, states, done = self._trace.thread, dict(begins), set[int]()
        broken, stopped = set[int](), set[int]()
        for row in order:
            call = events.calls.get(row)
            if int(thread[row]) in stopped or self._joined(row) in stopped:
                yield f"step {row} may depend on a result that its thread got before"
            if row in events.unfinished:
                yield f"step {row} begins a call that has not returned"
            if call is not None:
                receiver = receiver_of(call)
                if int(thread[row]) in broken:
                    yield f"{call} may have other arguments"
                if not done.issuperset(events.made[receiver]):
                    yield f"{call} comes before its object has been made"
                if row in events.doing_more and list(states[receiver]) != recorded.get(row):
                    yield f"{call} may have further effects"
                made = [self._outcome(call, state) for state in states[receiver]]
                if any(each is None or not each.result for each in made):
                    yield f"{call} can't be made"
                    return
                if row not in unread and any(each.result != text_of(call.result) for each in made if each):
                    yield f"{call} has another result"
                states[receiver] = tuple(each.after for each in made if each)
            done.add(row)
            if row in unread:
                broken.add(int(thread[row]))
                stopped |= {int(thread[row])} if call is not None else set()

    def _joined(self, row: int) -> int | None:
        """The thread that a row joins."""
        trace = self._trace
        return int(trace.thread_of_target[trace.target[row]]) if trace.op[row] == Op.JOIN else None

    def _reversed(
        self, order: Sequence[int], unread: frozenset[int], events: CallEvents, first: int, second: int
    ) -> Iterator[str]:
        """Objections, unless the second call has taken effect, and the first is about to begin."""
        trace, done = self._trace, set(order)
        one, other = events.calls[first], events.calls[second]
        if first >= second or one.thread == other.thread or receiver_of(one) != receiver_of(other):
            yield "the two are no calls of one object by two threads, in this order in the trace"
        own = [int(row) for row in trace.rows_of_thread[one.thread] if row < one.begin]
        if second not in done or one.begin in done or not done.issuperset(own):
            yield f"{other} has not taken effect, or {one} is not next"
        if self._is_unborn(one, done):
            yield f"the thread of {one} has not been started"
        if done.intersection(events.unfinished) or unread.intersection(own):
            yield f"{one} may have other arguments"

    def _is_unborn(self, call: Invocation, done: set[int]) -> bool:
        """Whether the thread of a call needs a fork that has not taken place."""
        trace = self._trace
        forks = np.flatnonzero(np.asarray(trace.op) == Op.FORK)
        own = forks[np.asarray(trace.thread_of_target)[np.asarray(trace.target)[forks]] == call.thread]
        return any(row < call.begin and row not in done for row in own.tolist())

    def _makes_a_difference(
        self,
        order: Sequence[int],
        events: CallEvents,
        rows: tuple[int, int],
        begins: dict[Receiver, tuple[str, ...]],
        claim: CallsReversed,
    ) -> Iterator[str]:
        """Objections, unless results or states differ for each initial state, and the results are as claimed for the
        first one."""
        first, second = rows
        receiver = receiver_of(events.calls[first])
        calls = [row for row in order if row in events.calls and receiver_of(events.calls[row]) == receiver]
        for number, begin in enumerate(begins[receiver]):
            results, after = self._run([*calls, first], begin, events)
            if second not in results or first not in results:
                yield f"the results of the two are unknown if the object began as {begin}"
                continue
            if number == 0 and (results[first], results[second]) != claim.returns:
                yield f"they do not return {claim.returns} but {results[first]} and {results[second]}"
            recorded = [text_of(events.calls[row].result) for row in rows]
            if [results[row] for row in rows] != recorded:
                continue
            _, as_recorded = self._run(sorted([*calls, first]), begin, events)
            if _UNKNOWN in (after, as_recorded) or after == as_recorded:
                yield f"it makes no difference which comes first, if the object began as {begin}"

    def _run(self, rows: Iterable[int], begin: str, events: CallEvents) -> tuple[dict[int, str | None], str]:
        """The results of calls, None for one that would have to wait, and the state that they lead to."""
        results: dict[int, str | None] = {}
        state = begin
        for row in rows:
            made = self._outcome(events.calls[row], state)
            if made is None:
                return {}, _UNKNOWN
            results[row], state = made.result or None, made.after
            if not made.result:
                break
        return results, state
