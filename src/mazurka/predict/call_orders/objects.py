"""The objects of a trace whose calls are known well enough to be reordered, and the effects of their calls.

An object is *modelled* if the library has an executable model of its type and of each method that is called, and if
from some state the model returns the results in the trace, in the order in which the calls take effect. Two calls of
another object never change places (:mod:`mazurka.trace.call_events`).

The state of an object before its first call is not in the trace. All states are considered that explain the trace and
can be reached from the initial states of the type with the fewest calls, with the values in the trace; a prediction has
to hold for each of them. An object with more than :data:`_MOST` such states is not modelled, nor is one that may hold
values that are equal but not the same.

Cost: a run of the model over the calls of each object for each state that is tried.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import product
from typing import Any, Final

from mazurka.commute.formula import State
from mazurka.commute.named import is_known, shared_type
from mazurka.commute.shared_type import BLOCKED, Method, SharedType, Step, methods_of
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.call_events import CallEvents, Receiver, call_events, outermost_calls, receiver_of
from mazurka.trace.columns import columns_of
from mazurka.trace.event import Op
from mazurka.trace.invocations import Invocation
from mazurka.trace.literals import Raised, Value, text_of
from mazurka.trace.trace import Trace
from mazurka.witness.witness import AssumedObject

#: The most states for one object; the most calls that lead to them; the most states tried for each number of calls.
_MOST: Final = 8
_CALLS: Final = 4
_TRIED: Final = 2_000


@dataclass(frozen=True, slots=True)
class SharedObject:
    """An object: its calls by the row at which they take effect, ascending, and its possible states before them."""

    receiver: Receiver
    methods: Mapping[str, Method]
    calls: Mapping[int, Invocation]
    states: tuple[State, ...]

    @property
    def assumed(self) -> AssumedObject:
        """The object as claims name it."""
        return AssumedObject(*self.receiver, tuple(map(text_of, self.states)))


@dataclass(eq=False)
class ModelledCalls:
    """The modelled objects of a trace, and the trace with their calls as events."""

    trace: Trace
    _steps: dict[tuple[int, State], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        named = _described(self.trace)
        if not named:
            self.objects, self.unknown = dict[Receiver, SharedObject](), list[str]()
            self.events = CallEvents(self.trace, {}, {}, {}, frozenset(), frozenset())
            return
        events = call_events(self.trace, named)
        calls = _by_object(events)
        found = {receiver: _object(receiver, own) for receiver, own in calls.items()}
        self.objects = {receiver: each for receiver, each in found.items() if each is not None}
        # Objects whose results no state explains, with the reason.
        self.unknown = [_unexplained(each, calls.get(each, {})) for each in sorted(named - self.objects.keys())]
        self.events = call_events(self.trace, self.objects) if self.unknown else events

    @property
    def assumed(self) -> tuple[AssumedObject, ...]:
        """All objects as claims name them."""
        return tuple(each.assumed for each in self.objects.values())

    @cached_property
    def texts(self) -> dict[int, str]:
        """For each row at which a call takes effect, the text of its result."""
        return {row: text_of(call.result) for row, call in self.events.calls.items()}

    @cached_property
    def recorded(self) -> dict[int, tuple[State, ...]]:
        """For each row at which a call takes effect, the possible states of its object in the trace before the call."""
        found: dict[int, tuple[State, ...]] = {}
        for each in self.objects.values():
            states = each.states
            for row in each.calls:
                found[row] = states
                states = tuple([step[1] for state in states if (step := self.step(row, state)) is not None])
        return found

    def states_at(self, receiver: Receiver, row: int) -> tuple[State, ...]:
        """The possible states of an object in the trace before the first of its calls that takes effect at ``row`` or
        later."""
        rows = self._rows[receiver]
        place = bisect_left(rows, row)
        if place < len(rows):
            return self.recorded[rows[place]]
        before = self.recorded[rows[-1]]
        return tuple([step[1] for state in before if (step := self.step(rows[-1], state)) is not None])

    @cached_property
    def _rows(self) -> dict[Receiver, list[int]]:
        """For each object, the rows at which its calls take effect, ascending."""
        return {receiver: list(each.calls) for receiver, each in self.objects.items()}

    def object_of(self, row: int) -> SharedObject:
        """The object of the call that takes effect at a row."""
        return self.objects[receiver_of(self.events.calls[row])]

    def step(self, row: int, state: State) -> tuple[str | None, State] | None:
        """The text of a call's result in a state, and the next state. Both are None (in a tuple) if the call would have
        to wait; None alone if the model does not define it."""
        key = row, state
        if key not in self._steps:
            call = self.events.calls[row]
            made = _step(self.object_of(row).methods[call.method], state, call.arguments)
            waits: Any = (None, None)
            self._steps[key] = waits if made is BLOCKED else None if made is None else (text_of(made[1]), made[0])
        found: tuple[str | None, State] | None = self._steps[key]
        return found

    def run(self, rows: Iterable[int], state: State) -> tuple[dict[int, str | None], State | None]:
        """The results of calls of one object, by row, and the state that they lead to (None if one has to wait). Both
        end at a call whose effect is not known."""
        results: dict[int, str | None] = {}
        for row in rows:
            made = self.step(row, state)
            if made is None:
                return results, None
            results[row] = made[0]
            if made[0] is None:
                return results, None
            state = made[1]
        return results, state

    def makes_a_difference(
        self, rows: Sequence[int], first: int, second: int, prefix: int = 0
    ) -> tuple[str | None, str | None] | None:
        """Whether results or state differ from the trace if the calls of an object come in the order ``rows``, whose
        last is ``first``, after the calls of the first ``prefix`` rows of the trace in their order. Returns the results
        of ``first`` and ``second``, or None if there is no difference, or it is not certain."""
        found: list[tuple[str | None, str | None]] = []
        for state in self.states_at(self.object_of(first).receiver, prefix):
            results, after = self.run(rows, state)
            if first not in results or second not in results:
                return None
            if (results[first], results[second]) == (self.texts[first], self.texts[second]):
                _, as_recorded = self.run(sorted(rows), state)
                if after is None or as_recorded is None or text_of(after) == text_of(as_recorded):
                    return None
            found.append((results[first], results[second]))
        return found[0]


def _described(trace: Trace) -> set[Receiver]:
    """Objects whose type and called methods are all in the library."""
    if not (columns_of(trace).op == Op.CALL).any():
        return set()
    calls = outermost_calls(trace)
    known = {receiver_of(call) for call in calls}
    for call in calls:
        if not (is_known(call.type_name) and call.method in methods_of(shared_type(call.type_name))):
            known.discard(receiver_of(call))
    return known


def _unexplained(receiver: Receiver, calls: Mapping[int, Invocation]) -> str:
    """Why the model of an object's type does not explain its calls."""
    kind, name = receiver
    methods = methods_of(shared_type(kind))
    for call in calls.values():
        if len(call.arguments) != len(methods[call.method].parameters):
            return f"{kind} {name}: {call.call} has other arguments than {call.method} in the model of its type"
    return f"{kind} {name}: no state of the model of its type explains the results of its calls"


def _by_object(events: CallEvents) -> Mapping[Receiver, Mapping[int, Invocation]]:
    found: defaultdict[Receiver, dict[int, Invocation]] = defaultdict(dict)
    for row, call in events.calls.items():
        found[receiver_of(call)][row] = call
    return found


def _object(receiver: Receiver, calls: Mapping[int, Invocation]) -> SharedObject | None:
    kind = shared_type(receiver[0])
    methods = methods_of(kind)
    if _mixes_equals(kind, calls.values()):
        return None
    states = _states(kind, methods, list(calls.values()))
    return SharedObject(receiver, methods, calls, states) if states else None


def _mixes_equals(kind: type[SharedType], calls: Iterable[Invocation]) -> bool:
    """Whether the object may hold values that are equal but not the same (1 and True): states with them could not be
    distinguished."""
    given: list[Any] = [value for call in calls for value in call.arguments]
    parts = [each for state in kind.initials for each in (state if isinstance(state, tuple) else (state,))]
    given += [each for each in parts if type(each) is not bool]  # a bool is no item: it says whether an object is open
    texts: dict[Any, str] = {}
    while given:
        value = given.pop()
        if isinstance(value, (tuple, frozenset)):
            given += value
        elif texts.setdefault(value, text_of(value)) != text_of(value):
            return True
    return False


def _states(kind: type[SharedType], methods: Mapping[str, Method], calls: Sequence[Invocation]) -> tuple[State, ...]:
    """The states that explain the results of the calls, and take the fewest calls to reach."""
    wanted = [(methods[call.method], call.arguments, text_of(call.result)) for call in calls]
    level, seen = list(kind.initials), set(kind.initials)
    made = list(_calls(methods.values(), calls))
    for _ in range(_CALLS + 1):
        found = [state for state in level if _explains(state, wanted)]
        if found:
            return tuple(found) if len(found) <= _MOST else ()
        reached: dict[State, None] = {}
        for state, (method, arguments) in product(level, made):
            step = _step(method, state, arguments)
            if step is not None and step is not BLOCKED and step[0] not in seen:
                reached[step[0]] = None
                if len(reached) > _TRIED:
                    return ()
        seen.update(reached)
        level = list(reached)
    return ()


def _calls(methods: Collection[Method], calls: Sequence[Invocation]) -> Iterator[tuple[Method, tuple[Value, ...]]]:
    """Calls of all methods, with the arguments of the given calls."""
    values: dict[str, Value] = {}
    for call in calls:
        for value in (*call.arguments, call.result):
            if not isinstance(value, Raised):
                values.setdefault(text_of(value), value)
    pool = list(values.values())[:20]
    for method in methods:
        yield from ((method, arguments) for arguments in product(pool, repeat=len(method.parameters)))


def _explains(state: State, calls: Iterable[tuple[Method, tuple[Value, ...], str]]) -> bool:
    for method, arguments, result in calls:
        step = _step(method, state, arguments)
        if step is None or step is BLOCKED or text_of(step[1]) != result:
            return False
        state = step[0]
    return True


def _step(method: Method, state: State, arguments: Sequence[Value]) -> Step | None:
    """A call of the model; None if it raises an exception of any class for these arguments."""
    try:
        step = method.step(state, *arguments)
        if step is not BLOCKED:
            hash(step[0])
            text_of(step[1])
            text_of(step[0])
        return step
    except Exception:
        return None
