"""Access points: the parts of an object that a call touches, such that two calls commute iff no two of their points
conflict.

Definition (thesis, definition 2.3.1; Dimitrov, Raychev, Vechev, Koskinen, *Commutativity race detection*, PLDI 2014). A
representation is a set of access points, a map from calls to the points that they touch, and a symmetric conflict
relation. It *represents* a specification if two calls touch conflicting points iff their condition is false. The
simplest example are reads and writes of a variable: a point for each, and that of writes conflicts with both.

A condition can be translated if each of its atoms is about one call alone (``r1``, ``v1 > 0``), or compares a term of
one with a term of the other for equality (``v1 == v2``); and if, for all truth values of the former, equalities only
make it false. With given values of these it is a conjunction of inequalities, of terms (``v1 != v2``) or of tuples
(``k1 != k2 or v1 != v2``). This contains the paper's logic ECL, which has no tuples and restricts the syntax of
conditions instead of their meaning; neither has states. The truth values of a method's own atoms are its *mode* in a
call. For each inequality that the condition becomes with some mode of another call, a call touches the point of its
mode and terms with the values of these terms; if the condition becomes false, there are no terms. Calls whose condition
can't be translated always conflict.

Points that conflict with the same points are merged. Cost: a translation takes time exponential in the number of atoms
of a method, which is small; a call takes a microsecond for each point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, combinations_with_replacement, product
from typing import Any, NamedTuple

from mazurka.commute.equivalence import atoms_of, normal, truth
from mazurka.commute.formula import (
    FALSE,
    Compare,
    Formula,
    Not,
    Pair,
    Side,
    compiled,
    in_words,
    mentions_state,
    sides_of,
    swapped,
)
from mazurka.commute.specification import Methods, Specification
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.literals import Value


class AccessPoint(NamedTuple):
    """An access point of an object: its kind, a number, and the values of its terms."""

    kind: int
    values: tuple[Value, ...]


#: The truth values of a method's own atoms.
Mode = tuple[bool, ...]

#: Terms of a call, as of side 1.
_Terms = tuple[Formula, ...]

#: Points that have not been numbered.
_Kind = tuple[str, Mode, _Terms]


@dataclass(frozen=True, slots=True, eq=False)
class AccessPoints:
    """Access points of a type. ``kinds`` describes for each kind of points, in words, the calls that touch them.

    ``weaker`` has the pairs of methods whose conditions can't be translated, each with the reason: calls of these
    always conflict. Without such pairs the points represent the specification; with them they are still sound.
    """

    kinds: Sequence[str]
    weaker: Mapping[Methods, str]
    conflicts: Sequence[frozenset[int]]  # by kind
    _touching: Mapping[str, Callable[[Sequence[Value], Value], Iterator[AccessPoint]]]

    def touched(self, method: str, arguments: Sequence[Value], result: Value) -> frozenset[AccessPoint]:
        """The points that a call touches; KeyError for a method that is not specified."""
        return frozenset(self._touching[method](arguments, result))

    def conflict(self, one: AccessPoint, other: AccessPoint) -> bool:
        """Whether two points of one object conflict."""
        return other.kind in self.conflicts[one.kind] and one.values == other.values

    def commute(self, ones: frozenset[AccessPoint], others: frozenset[AccessPoint]) -> bool:
        """Whether calls that touch these points commute."""
        return not any(self.conflict(one, other) for one in ones for other in others)


def translated(specification: Specification) -> AccessPoints:
    """Access points for a specification; :attr:`AccessPoints.weaker` has the conditions that they do not represent."""
    pairs = list(combinations_with_replacement(specification.methods, 2))
    formulas = {pair: normal(specification.condition(*pair)) for pair in pairs}
    weaker = {pair: why for pair in pairs if (why := _objection(formulas[pair])) is not None}
    atoms = _Atoms(specification.methods, {pair: formulas[pair] for pair in pairs if pair not in weaker})
    conflicts: dict[_Kind, set[_Kind]] = {}
    for pair in pairs:
        found = atoms.conflicts(pair, FALSE if pair in weaker else formulas[pair])
        if isinstance(found, str):
            weaker[pair] = found
            found = atoms.conflicts(pair, FALSE)
            assert not isinstance(found, str)
        for one, other in found:
            conflicts.setdefault(one, set()).add(other)
            conflicts.setdefault(other, set()).add(one)
    return _representation(specification, atoms, conflicts, weaker)


def _objection(formula: Formula) -> str | None:
    """The reason why a condition can't be translated, for one of its atoms; None if there is none."""
    for atom in atoms_of(formula):
        if mentions_state(atom):
            return f"`{in_words(atom)}` looks at a state, which access points do not have"
        if len(sides_of(atom)) == 2 and _ends_of(atom) is None:
            return f"`{in_words(atom)}` compares the two calls by a relation other than equality"
        if not sides_of(atom):
            return f"`{in_words(atom)}` is about neither call"
    return None


#: The sides of an inequality: terms of each call.
_Ends = tuple[_Terms, _Terms]


class _Atoms:
    """The atoms of a specification's conditions: each method's own, as of side 1, and those that compare two calls."""

    def __init__(self, methods: Iterable[str], formulas: Mapping[Methods, Formula]) -> None:
        self.own: dict[str, list[Formula]] = {name: [] for name in methods}
        for (one, other), formula in formulas.items():
            for atom in atoms_of(formula):
                match sorted(sides_of(atom)):
                    case [1]:
                        self._add(one, atom)
                    case [2]:
                        self._add(other, swapped(atom))

    def _add(self, method: str, atom: Formula) -> None:
        if atom not in self.own[method]:
            self.own[method].append(atom)

    def conflicts(self, methods: Methods, formula: Formula) -> list[tuple[_Kind, _Kind]] | str:
        """The points that conflict by the condition of two methods; or the reason why it can't be translated."""
        one, other = methods
        found: list[tuple[_Kind, _Kind]] = []
        for mine, theirs in product(self._modes(one), self._modes(other)):
            remaining = self._remaining(formula, (one, mine), (other, theirs))
            if isinstance(remaining, str):
                return remaining
            found += [((one, mine, left), (other, theirs, right)) for left, right in remaining]
        return found

    def _modes(self, method: str) -> Iterator[Mode]:
        """All modes of calls of the method."""
        return product((False, True), repeat=len(self.own[method]))

    def _remaining(self, formula: Formula, one: tuple[str, Mode], other: tuple[str, Mode]) -> list[_Ends] | str:
        """The inequalities that a condition becomes for calls in these modes; or the reason why it does not become
        such."""
        given = dict(zip(self.own[one[0]], one[1], strict=True))
        given |= dict(zip(map(swapped, self.own[other[0]]), other[1], strict=True))
        across = list(dict.fromkeys(atom for atom in atoms_of(formula) if len(sides_of(atom)) == 2))
        denying: list[frozenset[Formula]] = []  # the least sets of equations that make it false
        for equal in _subsets(across):
            denied = any(each <= equal for each in denying)
            if truth(formula, given | {atom: atom in equal for atom in across}):
                if denied:
                    return f"`{in_words(formula)}` can hold because terms of the two calls are equal"
            elif not denied:
                denying.append(equal)
        return [_compared(equations) for equations in denying]


def _subsets(atoms: Sequence[Formula]) -> Iterator[frozenset[Formula]]:
    """All subsets, smaller ones first."""
    return (frozenset(each) for size in range(len(atoms) + 1) for each in combinations(atoms, size))


def _compared(equations: frozenset[Formula]) -> _Ends:
    ends = sorted((ends for each in equations if (ends := _ends_of(each)) is not None), key=repr)
    return tuple(left for left, _ in ends), tuple(right for _, right in ends)


def _ends_of(atom: Formula) -> tuple[Formula, Formula] | None:
    """The terms of an equation between two calls, both as of side 1."""
    if isinstance(atom, Compare) and atom.relation == "==":
        match sorted(sides_of(atom.left)), sorted(sides_of(atom.right)):
            case [1], [2]:
                return atom.left, swapped(atom.right)
            case [2], [1]:
                return atom.right, swapped(atom.left)
    return None


def _representation(
    specification: Specification,
    atoms: _Atoms,
    conflicts: Mapping[_Kind, set[_Kind]],
    weaker: Mapping[Methods, str],
) -> AccessPoints:
    classes: dict[frozenset[_Kind], list[_Kind]] = {}
    for kind, others in conflicts.items():
        classes.setdefault(frozenset(others), []).append(kind)
    numbers = {kind: number for number, members in enumerate(classes.values()) for kind in members}
    touching = {name: _touching(specification, name, atoms.own[name], numbers) for name in specification.methods}
    return AccessPoints(
        [_words(members, atoms) for members in classes.values()],
        weaker,
        [frozenset(numbers[each] for each in others) for others in classes],
        touching,
    )


def _touching(
    specification: Specification, name: str, own: Sequence[Formula], numbers: Mapping[_Kind, int]
) -> Callable[[Sequence[Value], Value], Iterator[AccessPoint]]:
    """The function that gives the points that a call of a method touches."""
    parameters = specification.methods[name].parameters

    def worth(formula: Formula) -> Callable[[Pair], Any]:
        return compiled(formula, specification.functions, (parameters, parameters))

    tests = [worth(atom) for atom in own]
    touched: dict[Mode, list[tuple[int, list[Callable[[Pair], Any]]]]] = {}
    for (method, mode, terms), number in numbers.items():
        if method == name:
            touched.setdefault(mode, []).append((number, list(map(worth, terms))))

    def points(arguments: Sequence[Value], result: Value) -> Iterator[AccessPoint]:
        side = Side(arguments, result, None)
        pair = Pair(side, side, None)
        for number, terms in touched.get(tuple(bool(test(pair)) for test in tests), ()):
            yield AccessPoint(number, tuple(term(pair) for term in terms))

    return points


def _words(members: Sequence[_Kind], atoms: _Atoms) -> str:
    """The calls that touch points of these kinds, in words; without a mode if calls in all modes do."""
    calls: dict[str, None] = {}
    for method, mode, terms in members:
        words = f"{method} of {', '.join(map(in_words, terms))}" if terms else method
        modes = [each for name, each, same in members if (name, same) == (method, terms)]
        if len(modes) < 2 ** len(mode):
            tests = [
                in_words(atom if holds else Not(atom)) for atom, holds in zip(atoms.own[method], mode, strict=True)
            ]
            words = f"{words} if {' and '.join(tests)}"
        calls[words] = None
    return " or ".join(calls)
