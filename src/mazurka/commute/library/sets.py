"""Sets: Python's, frozen ones, and one whose methods return whether they changed it (thesis, tables 2.1 and 4.1)."""

from __future__ import annotations

from mazurka.commute.shared_type import SharedType, Step
from mazurka.trace.literals import Raised, Value

_Set = frozenset[Value]


def _least(s: _Set) -> Value:
    return min(s)  # type: ignore[type-var]


class SetType(SharedType):
    """``set``: its iteration order is no part of its state."""

    name = "set"
    initials = (frozenset(),)
    scope = {"v": (0, 1, 2)}

    def add(self, s: _Set, v: Value) -> Step:
        return s | {v}, None

    def discard(self, s: _Set, v: Value) -> Step:
        return s - {v}, None

    def remove(self, s: _Set, v: Value) -> Step:
        return (s - {v}, None) if v in s else (s, Raised("KeyError"))

    def contains(self, s: _Set, v: Value) -> Step:
        return s, v in s

    def size(self, s: _Set) -> Step:
        return s, len(s)

    def copy(self, s: _Set) -> Step:
        return s, s

    def clear(self, s: _Set) -> Step:
        return frozenset(), None

    fine = """
        add || add                          : True
        discard || discard, clear           : True
        contains || contains, size, copy    : True
        size || size, copy                  : True
        copy || copy                        : True
        clear || clear                      : True
        add || discard, remove              : v1 != v2
        add || contains                     : v1 != v2 or v1 in s
        add || size, copy                   : v1 in s
        discard, remove || remove, contains : v1 != v2 or v1 not in s
        discard || size, copy               : v1 not in s
        remove || size, copy, clear         : v1 not in s
        contains || clear                   : v1 not in s
        size, copy || clear                 : len(s) == 0
    """

    coarse = """
        add || add                       : True
        discard || discard, clear        : True
        contains || contains, size, copy : True
        size || size, copy               : True
        copy || copy                     : True
        clear || clear                   : True
        add || discard, remove, contains : v1 != v2
        discard || remove, contains      : v1 != v2
        remove || remove                 : v1 != v2 or raised(r1) and raised(r2)
        remove || contains               : raised(r1) or v1 != v2
        remove || size, copy             : raised(r1)
    """


class FrozenSetType(SharedType):
    """``frozenset``: no method changes it."""

    name = "frozenset"
    initials = (frozenset({1, 2}),)
    scope = {"v": (1, 3)}

    def contains(self, s: _Set, v: Value) -> Step:
        return s, v in s

    def size(self, s: _Set) -> Step:
        return s, len(s)

    def copy(self, s: _Set) -> Step:
        return s, s

    fine = """
        contains || contains, size, copy : True
        size || size, copy               : True
        copy || copy                     : True
    """


class ConcurrentSetType(SharedType):
    """A set whose ``add`` and ``remove`` return whether they changed it."""

    name = "concurrent_set"
    initials = (frozenset(),)
    scope = {"v": (0, 1, 2)}

    def add(self, s: _Set, v: Value) -> Step:
        return s | {v}, v not in s

    def remove(self, s: _Set, v: Value) -> Step:
        return s - {v}, v in s

    def contains(self, s: _Set, v: Value) -> Step:
        return s, v in s

    def size(self, s: _Set) -> Step:
        return s, len(s)

    def clear(self, s: _Set) -> Step:
        return frozenset(), None

    def pop_min(self, s: _Set) -> Step:
        return (s - {_least(s)}, _least(s)) if s else (s, None)

    fine = """
        add || add, contains        : v1 != v2 or v1 in s
        add || remove               : v1 != v2
        add || size                 : v1 in s
        add || pop_min              : len(s) != 0 and v1 > min(s)
        remove || remove, contains  : v1 != v2 or v1 not in s
        remove || size, clear       : v1 not in s
        contains || clear           : v1 not in s
        remove, contains || pop_min : len(s) == 0 or v1 != min(s)
        contains || contains, size  : True
        size || size                : True
        clear || clear              : True
        size || clear, pop_min      : len(s) == 0
        clear, pop_min || pop_min   : len(s) == 0
    """

    coarse = """
        add || add                 : v1 != v2 or not r1 and not r2
        remove || remove           : v1 != v2 or not r1 and not r2
        add || remove              : v1 != v2
        add, remove || contains    : v1 != v2 or not r1
        add, remove || size        : not r1
        add, remove || pop_min     : not r1 and v1 != r2
        contains || contains, size : True
        size || size               : True
        clear || clear             : True
        contains || pop_min        : v1 != r2
        size || pop_min            : r2 == None
        pop_min || pop_min         : r1 == None and r2 == None
    """
