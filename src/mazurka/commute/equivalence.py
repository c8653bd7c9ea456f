"""Equivalence of two formulas in logic with equality, for the check of symmetry.

The formulas' atoms (comparisons, calls of functions, results) are taken for independent variables, after comparisons
have been brought into one form; but if equations hold, equals may replace each other in other atoms. The check is
sound: formulas that it calls the same are equivalent. Equivalent formulas that differ by arithmetic count as different,
and have to be written in the same form.

Cost: two to the power of the number of atoms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

from mazurka.commute.formula import And, Compare, Constant, Formula, Not, Or, parts_of, rebuilt

#: The most atoms that are tried.
_MOST: Final = 14

#: Relations in terms of others: with the sides exchanged, and negated.
_MIRRORED: Final = {">": "<", ">=": "<="}
_DENIED: Final = {"!=": "==", "not in": "in"}


def is_same(one: Formula, other: Formula) -> bool:
    """Whether two formulas have the same truth value for all values of their atoms."""
    first, second = normal(one), normal(other)
    if first == second:
        return True
    atoms = list(dict.fromkeys((*atoms_of(first), *atoms_of(second))))
    if len(atoms) > _MOST:
        return False
    for worth in product((False, True), repeat=len(atoms)):
        given = dict(zip(atoms, worth, strict=True))
        if truth(first, given) != truth(second, given) and _is_consistent(given):
            return False
    return True


def _is_consistent(given: Mapping[Formula, bool]) -> bool:
    """Whether no atom is both true and false if equals replace each other."""
    stands_for: dict[Formula, Formula] = {}

    def represented(formula: Formula) -> Formula:
        formula = rebuilt(formula, represented)
        while formula in stands_for:
            formula = stands_for[formula]
        return formula

    for atom, holds in given.items():
        if holds and isinstance(atom, Compare) and atom.relation == "==":
            left, right = represented(atom.left), represented(atom.right)
            if left != right:
                stands_for[right] = left
    known: dict[Formula, bool] = {}
    for atom, holds in given.items():
        same = normal(rebuilt(atom, represented))
        if isinstance(same, Compare) and same.relation == "==" and same.left == same.right and not holds:
            return False
        if known.setdefault(same, holds) != holds:
            return False
    return True


def normal(formula: Formula) -> Formula:
    """The formula with comparisons in one form: ``==``, ``<``, ``<=`` and ``in``, equations sorted."""
    formula = rebuilt(formula, normal)
    if isinstance(formula, Compare):
        relation, left, right = formula.relation, formula.left, formula.right
        if relation in _MIRRORED:
            return Compare(_MIRRORED[relation], right, left)
        if relation in _DENIED:
            return Not(normal(Compare(_DENIED[relation], left, right)))
        if relation == "==" and _rank(right) < _rank(left):
            return Compare("==", right, left)
    return formula


def _rank(formula: Formula) -> tuple[bool, str]:
    """The key by which the sides of an equation are sorted: constants are on the right."""
    return isinstance(formula, Constant), repr(formula)


def atoms_of(formula: Formula) -> Iterator[Formula]:
    """The atoms: the largest parts that are no connectives and no truth values."""
    match formula:
        case And() | Or() | Not():
            for part in parts_of(formula):
                yield from atoms_of(part)
        case Constant(bool()):
            return
        case _:
            yield formula


def truth(formula: Formula, atoms: Mapping[Formula, bool]) -> bool:
    """The value of a formula under these values of its atoms."""
    match formula:
        case And(parts):
            return all(truth(part, atoms) for part in parts)
        case Or(parts):
            return any(truth(part, atoms) for part in parts)
        case Not(part):
            return not truth(part, atoms)
        case Constant(bool(value)):
            return value
        case _:
            return atoms[formula]
