"""The names of the operations that property events are about: the rewriter adds hooks for events where a name may be
one of these, and nowhere else.

A name counts by its last component, which a site shows: ``pop`` of ``dict.pop``. It may have wildcards.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from mazurka.properties.names import pattern


class WovenNames(NamedTuple):
    """The last components of names, by operation; ``exits`` are those of calls whose end is of interest."""

    calls: frozenset[str] = frozenset()
    exits: frozenset[str] = frozenset()
    gets: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    deletes: frozenset[str] = frozenset()

    def text(self) -> str:
        """The names in a form that is equal for equal ones, in any process."""
        return repr([sorted(each) for each in self]) if any(self) else ""

    def calls_any(self, names: Iterable[str]) -> bool:
        """Whether a call by one of these names may be one."""
        return any(is_among(self.calls, name) for name in names)


NONE: Final = WovenNames()

#: The names for modules that are rewritten from now on.
active: WovenNames = NONE


def activate(names: WovenNames) -> None:
    """Use these names for modules that are rewritten from now on."""
    global active
    active = names


@lru_cache(maxsize=65536)
def is_among(names: frozenset[str], name: str) -> bool:
    """Whether a name is one of these, some of which may have wildcards."""
    return name in names or any("*" in each and pattern(each).fullmatch(name) is not None for each in names)
