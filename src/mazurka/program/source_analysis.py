"""Static analysis of a program's source, before it is run: the protocol between front ends and strategies.

Every answer has a default that says that nothing is known; a front end without an analysis of its language gives those.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from mazurka.program.conditions import Uses


class Condition(Protocol):
    """When a read is needless: a store at one of these sites came before, or the location has a value from the start.

    The program is to have no other stores to the location than ``stores``.
    """

    @property
    def stores(self) -> frozenset[int]:
        """The sites of stores, one of which must have come before."""
        ...

    @property
    def there(self) -> bool:
        """Whether the location has a value from the start."""
        ...


class Dependence(Protocol):
    """The reads that nothing depends on; by default, none is known to be needless."""

    def version(self) -> str:
        """Changes when more of the program becomes known, and is the same in every process."""
        return ""

    def needless(self) -> Mapping[int, Condition]:
        """The sites of needless reads."""
        return {}


class SourceAnalysis(Protocol):
    """The analysis of a program's source."""

    def uses_of(self, site: int) -> Uses:
        """The checks that depend on a read at a site."""
        return Uses()

    def dependence(self, *, final: bool) -> Dependence:
        """The reads that nothing depends on; with ``final``, the final values of locations are looked at, too."""
        return NothingKnown()


class NothingKnown(SourceAnalysis, Dependence):
    """No source, or no analysis of its language."""
