"""Sites by their place: those that a place from another source, such as a recording, can mean.

Cost: all sites are looked at once, and again whenever further modules have been instrumented.
"""

from __future__ import annotations

import os
from collections import defaultdict

from mazurka.program.python.instrument import sites
from mazurka.trace.event import Location
from mazurka.trace.ids import SiteNumber

_Index = dict[tuple[str, int, int], set[SiteNumber]]

_extent = ""
_index: _Index = {}


def accesses_at(place: Location, name: str) -> frozenset[SiteNumber]:
    """The sites at a line and column of a file: those of accesses to a location of this name if there are any,
    otherwise all."""
    found = _sites_by_place().get((os.path.abspath(place.file), place.line, place.column), set())
    return frozenset({site for site in found if _is_about(site, name)} or found)


def _sites_by_place() -> _Index:
    global _extent, _index
    if _extent != sites.extent():
        _extent, _index = sites.extent(), defaultdict(set)
        for file in sites.instrumented:
            for number in sites.numbers(file):
                where = sites.location(number)
                if where is not None:
                    column = 0 if sites.kind_of(number) == sites.TRUTH_TEST else where.column  # as in recordings
                    _index[os.path.abspath(file), where.line, column].add(number)
    return _index


def _is_about(number: int, name: str) -> bool:
    """Whether a site's access may be to a place of this name: ``a``, ``a[0]`` and ``a[0].b`` begin at one column."""
    site = sites.site(number)
    if site is None:
        return False
    return "item" in site.kind if name.endswith("]") else site.name == name.rpartition(".")[2]
