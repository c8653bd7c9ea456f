"""Union-find: elements in disjoint sets, each of which has a representative that ``find`` returns.

The abstract state is the representative of each element. Other data of an implementation (compressed paths) is no part
of it: so calls of ``find`` commute although they write.
"""

from __future__ import annotations

from mazurka.commute.shared_type import SharedType, Step

_ELEMENTS = 3

#: For each element its representative; if that can't be observed, the least element of its set.
_Parents = tuple[int, ...]


def _united(s: _Parents, x: int, y: int) -> _Parents:
    """The state in which the representative of ``y``'s set is that of ``x``'s set, too."""
    return tuple(s[y] if each == s[x] else each for each in s)


class UnionFindType(SharedType):
    """``union(x, y)`` makes the representative of ``y`` that of ``x``, too."""

    name = "union_find"
    initials = (tuple(range(_ELEMENTS)),)
    scope = {"x": range(_ELEMENTS), "y": range(_ELEMENTS)}
    functions = {"united": _united}

    def find(self, s: _Parents, x: int) -> Step:
        return s, s[x]

    def same(self, s: _Parents, x: int, y: int) -> Step:
        return s, s[x] == s[y]

    def union(self, s: _Parents, x: int, y: int) -> Step:
        return _united(s, x, y), None

    fine = """
        find || find, same : True
        same || same       : True
        find || union      : at(united(s, x2, y2), x1) == at(s, x1)
        same || union      : (at(united(s, x2, y2), x1) == at(united(s, x2, y2), y1)) == (at(s, x1) == at(s, y1))
        union || union     : united(united(s, x1, y1), x2, y2) == united(united(s, x2, y2), x1, y1)
    """

    coarse = """
        find || find, same  : True
        same || same        : True
        find, same || union : x2 == y2
        union || union      : x1 == y1 or x2 == y2
    """


class PartitionType(SharedType):
    """Union-find without ``find``: the representative of a set can't be observed."""

    name = "partition"
    initials = (tuple(range(_ELEMENTS)),)
    scope = UnionFindType.scope
    functions = {"united": _united}

    def same(self, s: _Parents, x: int, y: int) -> Step:
        return s, s[x] == s[y]

    def union(self, s: _Parents, x: int, y: int) -> Step:
        united = _united(s, x, y)
        return tuple(united.index(each) for each in united), None

    fine = """
        same || same   : True
        union || union : True
        same || union  : (at(united(s, x2, y2), x1) == at(united(s, x2, y2), y1)) == (at(s, x1) == at(s, y1))
    """

    coarse = """
        same || same   : True
        union || union : True
        same || union  : x1 == y1 or x2 == y2
    """
