"""Conditions that decide whether a program fails: a front end finds them in its source.

A *check* is a place where values that were read decide whether the program fails; see
:mod:`mazurka.explore.guidance.checks` for the use that is made of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, NamedTuple

from mazurka.lazy_dataclass import dataclass
from mazurka.program.terms import Term


class CheckKind(Enum):
    """The kinds of checks."""

    ASSERTION = "assertion"
    RAISE = "exception"  # a test that guards a raise
    NONE = "use of None"
    MISSING = "use of a missing value"
    TEST = "test"  # nothing fails by itself


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A check fails if ``term`` is true; it is reached only where the conditions ``under`` have their outcomes."""

    kind: CheckKind
    file: str
    line: int  # of the code that fails: a raise, an assertion, an expression
    last_line: int
    term: Term
    under: tuple[tuple[Term, bool], ...] = ()

    def is_behind(self, failure: Any) -> bool:
        """Whether a failure is the failure of this check."""
        where = failure.location
        return where is not None and where.file == self.file and self.line <= where.line <= self.last_line


class SymbolicStore(NamedTuple):
    """A place that stores the value of ``term``."""

    site: int
    term: Term


class Uses(NamedTuple):
    """The checks, and the stores of the same function, that depend on a read at a location."""

    checks: Sequence[Check] = ()
    stores: Sequence[SymbolicStore] = ()


#: The checks that depend on a read at a place.
UsesOf = Callable[[int], Uses]
