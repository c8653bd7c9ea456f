"""All commutativity order violations that one small trace of calls proves possible, by definition.

The reorderings are those of :class:`~tests.oracle.predictable.Predictable`, for the trace in which accesses internal to
objects are NOPs. A call happens where it takes effect. In a reordering its effect is that of the model of its type, in
each of the states that its object may have begun in; it comes only if its thread has read, and got as results, the same
values as in the trace, and if it has not to wait; if it also writes another location, only in the states in which it
did so. If it returns another value its thread makes no more steps. A call that has not returned does not begin.

An object may have begun in the states that explain the results of its calls and need the fewest calls to be reached
from the type's first ones, with the values that its calls have.

Cost: exponential.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from tests.oracle.call_traces import CalledTrace
from tests.oracle.predictable import ALWAYS, Predictable, Reached

from mazurka.commute.access_points import AccessPoints, translated
from mazurka.commute.registry import shared_type, specification
from mazurka.commute.shared_type import BLOCKED, Method, methods_of
from mazurka.trace.event import Op
from mazurka.trace.invocations import Invocation, invocations
from mazurka.trace.literals import Raised, text_of

_POINTS: dict[str, AccessPoints] = {}


class Called(NamedTuple):
    """Between two events: the rest, the states that each object may be in, and the threads that have been returned
    something else."""

    rest: Reached
    states: tuple[tuple[Any, ...], ...]
    stopped: frozenset[int] = frozenset()


class PossibleCallOrders(Predictable):
    """See the module."""

    def __init__(self, called: CalledTrace) -> None:
        super().__init__(called.plain)
        found = list(invocations(called.trace))
        self.calls: dict[int, Invocation] = {called.effect[call.begin]: call for call in found}
        self.unfinished = called.unfinished
        self.objects = sorted({call.receiver for call in found})
        self.begins = [self._begins(name) for name in self.objects]
        self.starts = {row: call.begin for row, call in self.calls.items()}
        self.more = {called.effect[begin] for begin in called.more if begin in called.effect}
        self.recorded = self._recorded()

    def _of(self, name: str) -> list[int]:
        return sorted(row for row, call in self.calls.items() if call.receiver == name)

    def _begins(self, name: str) -> tuple[Any, ...]:
        rows = self._of(name)
        kind = shared_type(self.calls[rows[0]].type_name)
        values = {
            text_of(value): value
            for row in rows
            for value in (*self.calls[row].arguments, self.calls[row].result)
            if not isinstance(value, Raised)
        }
        level, known = set(kind.initials), set(kind.initials)
        for _ in range(5):
            explaining = [state for state in level if self._explains(state, rows)]
            if explaining:
                return tuple(sorted(explaining, key=repr))
            reached = {
                after[0]
                for state in level
                for method in methods_of(kind).values()
                for arguments in product(values.values(), repeat=len(method.parameters))
                if (after := _step(method, state, arguments)) is not None
            }
            level = reached - known
            known |= reached
        return ()

    def _explains(self, state: Any, rows: list[int]) -> bool:
        for row in rows:
            step = self._does(row, state)
            if step is None or step[0] != text_of(self.calls[row].result):
                return False
            state = step[1]
        return True

    def _does(self, row: int, state: Any) -> tuple[str, Any] | None:
        """The text of a call's result, and the next state; None if it waits."""
        call = self.calls[row]
        step = _step(methods_of(shared_type(call.type_name))[call.method], state, call.arguments)
        return None if step is None else (text_of(step[1]), step[0])

    # -- going on -----------------------------------------------------------------------------------------------------

    def _recorded(self) -> dict[int, tuple[Any, ...]]:
        """By call: the states in which its object is then in the trace."""
        found: dict[int, tuple[Any, ...]] = {}
        for name, begins in zip(self.objects, self.begins, strict=True):
            rows = self._of(name)
            for row in rows if begins else ():
                before = [each for each in rows if each < row]
                found[row] = tuple(self._run(before, begin)[1] for begin in begins)
        return found

    def all_reached(self) -> dict[Called, list[tuple[int, ...]]]:
        """All states, each with the calls that have happened until then, in all orders that lead there."""
        start = Called(self.start, tuple(self.begins))
        found: dict[Called, set[tuple[int, ...]]] = {start: {()}}
        stack: list[tuple[Called, tuple[int, ...]]] = [(start, ())]
        while stack:
            state, done = stack.pop()
            for row, after in self._next(state):
                then = (*done, row) if row in self.calls else done
                if then not in found.setdefault(after, set()):
                    found[after].add(then)
                    stack.append((after, then))
        return {state: list(orders) for state, orders in found.items()}

    def _next(self, state: Called) -> Iterator[tuple[int, Called]]:
        for row, after in self.steps(state.rest):
            joined = self.others[self.targets[row]] if self.ops[row] is Op.JOIN else None
            if row in self.unfinished or self.threads[row] in state.stopped or joined in state.stopped:
                continue
            if row not in self.calls:
                yield row, state._replace(rest=after)
                continue
            thread, call, stopped = self.threads[row], self.calls[row], state.stopped
            number = self.objects.index(call.receiver)
            made = [self._does(row, each) for each in state.states[number]]
            if state.rest.broken[thread] != ALWAYS or None in made:
                continue
            if row in self.more and self.recorded.get(row) != state.states[number]:
                continue
            if any(each[0] != text_of(call.result) for each in made if each):
                broken = list(after.broken)
                broken[thread] = self.index[row]
                after = after._replace(broken=tuple(broken))
                stopped = stopped | {thread}
            states = list(state.states)
            states[number] = tuple(each[1] for each in made if each)
            yield row, Called(after, tuple(states), stopped)

    # -- violations ---------------------------------------------------------------------------------------------------

    def violations(self) -> set[tuple[int, int]]:
        """(earlier call, later call), by the rows at which they take effect."""
        rows = sorted(self.calls)
        wanted = [(one, other) for one in rows for other in rows if one < other and self._may_be_one(one, other)]
        found: set[tuple[int, int]] = set()
        if not wanted:
            return found
        for state, orders in self.all_reached().items():
            standing = set(self.standing(state.rest))
            for first, second in wanted:
                sure = self.starts[first] in standing and state.rest.broken[self.threads[first]] == ALWAYS
                if (first, second) not in found and sure and self._done(state.rest, second):
                    if any(self._differs(order, first, second) for order in orders):
                        found.add((first, second))
        return found

    def _may_be_one(self, one: int, other: int) -> bool:
        """Whether they are calls of one object by two threads that do not commute."""
        first, second = self.calls[one], self.calls[other]
        if first.receiver != second.receiver or self.threads[one] == self.threads[other]:
            return False
        if not self.begins[self.objects.index(first.receiver)]:
            return False
        if first.type_name not in _POINTS:
            _POINTS[first.type_name] = translated(specification(first.type_name, "coarse"))
        points = _POINTS[first.type_name]
        return not points.commute(
            *(points.touched(each.method, each.arguments, each.result) for each in (first, second))
        )

    def _differs(self, order: tuple[int, ...], first: int, second: int) -> bool:
        """Whether in each state that the object may have begun in something of the two is another one."""
        name = self.calls[first].receiver
        own = [*(row for row in order if self.calls[row].receiver == name), first]
        for begin in self.begins[self.objects.index(name)]:
            results, after = self._run(own, begin)
            if all(results.get(row) == text_of(self.calls[row].result) for row in (first, second)):
                _, usual = self._run(sorted(own), begin)
                if after is None or usual is None or text_of(after) == text_of(usual):
                    return False
        return True

    def _run(self, rows: list[int], state: Any) -> tuple[dict[int, str], Any]:
        results: dict[int, str] = {}
        for row in rows:
            step = self._does(row, state)
            if step is None:
                return results, None
            results[row], state = step
        return results, state


def _step(method: Method, state: Any, arguments: tuple[Any, ...]) -> Any:
    try:
        step = method.step(state, *arguments)
        if step is BLOCKED:
            return None
        hash(step[0])
        text_of(step[1])
        text_of(step[0])
    except Exception:
        return None
    return step
