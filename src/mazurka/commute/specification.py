"""Commutativity specifications: for each pair of methods of a type, the condition under which two calls commute.

Definition (thesis, definitions 4.3.4 to 4.3.8). Two calls commute if applying them in either order leads to the same
state, with the same results. A specification is *sound* if calls for which its condition holds commute, and *complete*
if the condition holds for all calls that commute; one that is both is *exact*. A specification is a claim by the user;
:mod:`mazurka.commute.verification` checks it.

When a specification is made, these properties are checked; a violation is an error ``specification`` that names the
line: formulas are of the logic (:mod:`mazurka.commute.parsing`), names are known, a condition of the variant ``coarse``
is of the fragment L2, no pair has two conditions, and exchanging the calls makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mazurka.commute.equivalence import is_same
from mazurka.commute.formula import FALSE, Formula, Pair, Side, State, compiled, mentions_state, swapped
from mazurka.commute.parsing import RESERVED, TableLine, Wrong, formula_of, lines_of, wrong
from mazurka.commute.shared_type import FUNCTIONS, VARIANTS, Method, Place, SharedType, methods_of, name_of, place_of
from mazurka.errors import did_you_mean
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.invocations import Invocation

#: Two methods, by name.
Methods = tuple[str, str]

_COARSE: Final = VARIANTS[1]


@dataclass(frozen=True, slots=True, eq=False)
class Specification:
    """See the module. ``conditions`` has both orders of each pair with a condition; ``kind`` is the class with the
    model."""

    name: str
    variant: str
    kind: type[SharedType]
    methods: Mapping[str, Method]
    functions: Mapping[str, Callable[..., Any]]
    conditions: Mapping[Methods, Formula]
    _holds: Mapping[Methods, Callable[[Pair], Any]]

    @property
    def fragment(self) -> str:
        """``L2`` if no condition looks at a state, ``L1`` otherwise."""
        return "L1" if any(map(mentions_state, self.conditions.values())) else "L2"

    def condition(self, one: str, other: str) -> Formula:
        """The condition of a pair of methods; false if it has none."""
        return self.conditions.get((one, other), FALSE)

    def holds(self, one: str, other: str, pair: Pair) -> bool:
        """Whether the condition of two methods holds for calls of them."""
        holds = self._holds.get((one, other))
        return holds is not None and bool(holds(pair))

    def commute(self, first: Invocation, second: Invocation, states: tuple[State, State] | None = None) -> bool:
        """Whether two calls, of which ``first`` begins first, commute in these states. Without states only conditions
        of L2 can hold. Calls of unknown methods, or with the wrong number of arguments, do not commute."""
        methods = first.method, second.method
        formula = self.conditions.get(methods)
        if formula is None or (states is None and mentions_state(formula)):
            return False
        for each in (first, second):
            if len(each.arguments) != len(self.methods[each.method].parameters):
                return False
        before, between = states or (None, None)
        one, other = Side(first.arguments, first.result, before), Side(second.arguments, second.result, between)
        return self.holds(*methods, Pair(one, other, before))


def specifications_of(kind: type[SharedType]) -> dict[str, Specification]:
    """The specifications that a type defines, by variant."""
    place = place_of(kind)
    _check_names(kind, str(place))
    tables = {variant: getattr(kind, variant) for variant in VARIANTS}
    found = {variant: _made(kind, variant, table, place) for variant, table in tables.items() if table}
    if not found:
        raise wrong(str(place), "neither `fine` nor `coarse` conditions")
    return found


def _check_names(kind: type[SharedType], where: str) -> None:
    if not kind.initials:
        raise wrong(where, "a type without `initials`, its initial states")
    methods = methods_of(kind)
    if not methods:
        raise wrong(where, "a type without methods")
    for method in methods.values():
        for parameter in method.parameters:
            if parameter in RESERVED:
                raise wrong(where, f"{method.name} has a parameter {parameter}, a name that is reserved in conditions")
            if parameter not in kind.scope:
                raise wrong(where, f"`scope` has no values for the parameter {parameter} of {method.name}")


def _made(kind: type[SharedType], variant: str, table: str, place: Place) -> Specification:
    methods, functions = methods_of(kind), {**FUNCTIONS, **kind.functions}
    conditions: dict[Methods, Formula] = {}

    def at(line: int) -> str:
        return place.of_line(variant, line)

    for line in lines_of(table, at):
        for pair, formula in _of_line(line, methods, functions, variant, at(line.number)).items():
            if pair in conditions:
                raise wrong(at(line.number), f"{pair[0]} || {pair[1]} has a condition already")
            conditions[pair] = formula
    holds = {
        (one, other): compiled(formula, functions, (methods[one].parameters, methods[other].parameters))
        for (one, other), formula in conditions.items()
    }
    return Specification(name_of(kind), variant, kind, methods, functions, conditions, holds)


def _of_line(
    line: TableLine, methods: Mapping[str, Method], functions: Mapping[str, object], variant: str, where: str
) -> dict[Methods, Formula]:
    """The conditions of a line, for both orders of each pair."""
    found: dict[Methods, Formula] = {}
    for one, other in line.pairs():
        for name in (one, other):
            if name not in methods:
                hint = did_you_mean(name, methods) or f"there are {', '.join(methods)}"
                raise wrong(where, f"there is no method {name}", hint)
        try:
            formula = formula_of(line.formula, (methods[one].parameters, methods[other].parameters), functions)
        except Wrong as error:
            raise wrong(where, f"{one} || {other}: {error}") from None
        if variant == _COARSE and mentions_state(formula):
            raise wrong(where, f"{one} || {other} looks at a state: only `fine` conditions may")
        turned = swapped(formula)
        known = found.get((one, other), turned if one == other else formula)
        if not is_same(formula, known):
            raise wrong(where, f"{one} || {other} is not symmetric in the two calls", "write its two halves alike")
        found[one, other], found[other, one] = formula, turned if one != other else formula
    return found
