"""Checks specifications against the executable model of their type: exhaustively, in a small scope.

All states within the scope and all arguments are tried. Two calls that can be made one after the other in either order
commute if the results and the final state are the same in both. A condition that holds for calls that do not commute is
unsound. A condition that does not hold for some calls that commute is inexact, which is no error.

If a condition mentions results, it is evaluated for each order, with the results in that order. If neither order is
enabled, there is no case to check; if only one is, the calls do not commute (definition 4.3.4, the partial maps
differ).

A condition that holds in a small scope need not hold in every scope; but wrong conditions of common types are wrong in
small states, too. Cost: states times the squares of methods and arguments; 10,000 to 100,000 cases a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import Final, NamedTuple

from mazurka.commute.formula import Pair, Side, State
from mazurka.commute.shared_type import BLOCKED, Method, SharedType, methods_of, place_of
from mazurka.commute.specification import Methods, Specification
from mazurka.errors import MazurkaError
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.literals import Value, text_of

#: A scope with more states than this counts as infinite.
MOST_STATES: Final = 20_000


class CallsInOrder(NamedTuple):
    """Two calls, one after the other: their results, by side, and the states before, between and after."""

    results: tuple[Value, Value]
    between: State
    after: State


@dataclass(frozen=True, slots=True)
class Case:
    """Two calls in a state; ``forth`` and ``back`` are the outcomes if the first call, or the second, goes first; None
    if a call would have to wait."""

    methods: Methods
    state: State
    arguments: tuple[tuple[Value, ...], tuple[Value, ...]]
    forth: CallsInOrder | None
    back: CallsInOrder | None

    @property
    def is_enabled(self) -> bool:
        """Whether the calls can be made in some order."""
        return self.forth is not None or self.back is not None

    @property
    def commutes(self) -> bool:
        """Whether both orders have the same results and final state."""
        forth, back = self.forth, self.back
        return forth is not None and back is not None and (forth.results, forth.after) == (back.results, back.after)

    def pairs(self) -> Iterator[Pair]:
        """The inputs of a condition: the calls in each order that is enabled."""
        for outcome, states in ((self.forth, (0, 1)), (self.back, (1, 0))):
            if outcome is not None:
                before = (self.state, outcome.between)
                one, two = (Side(self.arguments[side], outcome.results[side], before[states[side]]) for side in (0, 1))
                yield Pair(one, two, self.state)

    def __str__(self) -> str:
        calls = [
            f"({number}) {method}({', '.join(map(text_of, own))})"
            for number, (method, own) in enumerate(zip(self.methods, self.arguments, strict=True), 1)
        ]
        lines = [f"in state {self.state!r}:"]
        for outcome, order in ((self.forth, (0, 1)), (self.back, (1, 0))):
            first, second = order
            if outcome is None:
                lines.append(f"  {calls[first]}, then {calls[second]}: one of them has to wait")
                continue
            results = [f"{calls[side]} = {text_of(outcome.results[side])}" for side in order]
            lines.append(f"  {', then '.join(results)}, leads to {outcome.after!r}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class PairCheck:
    """The result for a pair of methods: the numbers of cases, of cases that commute, and of those for which the
    condition holds; a case in which it holds wrongly, and a case that it misses."""

    methods: Methods
    cases: int
    commuting: int
    admitted: int
    counterexample: Case | None
    missed: Case | None

    @property
    def is_sound(self) -> bool:
        """Whether calls for which the condition holds commute."""
        return self.counterexample is None

    @property
    def is_exact(self) -> bool:
        """Whether the condition holds for exactly the calls that commute."""
        return self.is_sound and self.admitted == self.commuting


def verify(specification: Specification) -> list[PairCheck]:
    """A check for each pair of methods, also those without a condition, in the order of the methods."""
    states = states_of(specification.kind)
    methods = specification.methods
    return [
        _checked(specification, methods[one], methods[other], states)
        for one, other in combinations_with_replacement(methods, 2)
    ]


def states_of(kind: type[SharedType]) -> list[State]:
    """The states of the scope: those that methods can reach from the initial ones."""
    made, methods = kind(), methods_of(kind).values()
    found: dict[State, None] = dict.fromkeys(kind.initials)
    queue = list(found)
    for state in queue:
        for method in methods:
            for arguments in arguments_of(kind, method):
                step = _step(kind, method, state, arguments)
                if step is not None and step[0] not in found and made.bounded(step[0]):
                    found[step[0]] = None
                    queue.append(step[0])
        if len(queue) > MOST_STATES:
            message = f"more than {MOST_STATES:,} states in the scope"
            hint = "limit the states by `bounded`"
            raise MazurkaError("specification", message, where=str(place_of(kind)), hint=hint)
    return queue


def cases_of(kind: type[SharedType], one: Method, other: Method, states: list[State]) -> Iterator[Case]:
    """All calls of two methods in these states that can be made in some order."""
    for state in states:
        for first, second in product(arguments_of(kind, one), arguments_of(kind, other)):
            forth = _outcome(kind, state, (one, first), (other, second))
            back = _outcome(kind, state, (other, second), (one, first))
            if back is not None:
                back = back._replace(results=(back.results[1], back.results[0]))
            case = Case((one.name, other.name), state, (first, second), forth, back)
            if case.is_enabled:
                yield case


def _checked(specification: Specification, one: Method, other: Method, states: list[State]) -> PairCheck:
    cases = commuting = admitted = 0
    counterexample = missed = None
    for case in cases_of(specification.kind, one, other, states):
        cases += 1
        worth = [_holds(specification, case, pair) for pair in case.pairs()]
        if case.commutes:
            commuting += 1
            admitted += all(worth)
            if not all(worth) and missed is None:
                missed = case
        elif any(worth) and counterexample is None:
            counterexample = case
    return PairCheck((one.name, other.name), cases, commuting, admitted, counterexample, missed)


def _holds(specification: Specification, case: Case, pair: Pair) -> bool:
    try:
        return specification.holds(*case.methods, pair)
    except Exception as error:
        message = f"the condition of {' || '.join(case.methods)} has no value: {type(error).__name__}: {error}; {case}"
        raise MazurkaError("specification", message, where=str(place_of(specification.kind))) from error


def arguments_of(kind: type[SharedType], method: Method) -> Iterator[tuple[Value, ...]]:
    """The arguments of the scope for a method."""
    return product(*(kind.scope[parameter] for parameter in method.parameters))


def _outcome(
    kind: type[SharedType],
    state: State,
    first: tuple[Method, tuple[Value, ...]],
    second: tuple[Method, tuple[Value, ...]],
) -> CallsInOrder | None:
    step = _step(kind, first[0], state, first[1])
    then = None if step is None else _step(kind, second[0], step[0], second[1])
    return None if step is None or then is None else CallsInOrder((step[1], then[1]), step[0], then[0])


def _step(
    kind: type[SharedType], method: Method, state: State, arguments: tuple[Value, ...]
) -> tuple[State, Value] | None:
    try:
        step = method.step(state, *arguments)
        if step is BLOCKED:
            return None
        after, result = step
        hash((after, result))
    except Exception as error:
        call = f"{method.name}({', '.join(map(repr, arguments))})"
        message = f"the model fails: {call} in state {state!r}: {type(error).__name__}: {error}"
        raise MazurkaError("specification", message, where=str(place_of(kind))) from error
    return after, result
