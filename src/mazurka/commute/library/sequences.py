"""Sequences: lists, double-ended queues and stacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from mazurka.commute.shared_type import SharedType, Step
from mazurka.trace.literals import Raised

_Items = tuple[Any, ...]

_NO_INDEX = Raised("IndexError")
_NO_VALUE = Raised("ValueError")


def _place(s: _Items, i: int) -> int | None:
    """The position of an index, which may count from the end; None if there is no item."""
    return i % len(s) if -len(s) <= i < len(s) else None


def _popped(s: _Items) -> _Items:
    return s[:-1]


def _removed(s: _Items, v: Any) -> _Items:
    """The items without the first one that equals ``v``."""
    return (*s[: s.index(v)], *s[s.index(v) + 1 :]) if v in s else s


def _replaced(s: _Items, i: int, v: Any) -> _Items:
    place = _place(s, i)
    return s if place is None else (*s[:place], v, *s[place + 1 :])


class ListType(SharedType):
    """``list``, with indexes from either end."""

    name = "list"
    initials = ((),)
    scope = {"v": (None, 0, "x"), "i": (-1, 0, 1)}
    functions: ClassVar[Mapping[str, Any]] = {
        "place": _place,
        "appended": lambda s, v: (*s, v),
        "popped": _popped,
        "removed": _removed,
        "replaced": _replaced,
    }

    def bounded(self, s: _Items) -> bool:
        return len(s) <= 3

    def append(self, s: _Items, v: Any) -> Step:
        return (*s, v), None

    def pop(self, s: _Items) -> Step:
        return (s[:-1], s[-1]) if s else (s, _NO_INDEX)

    def item(self, s: _Items, i: int) -> Step:
        return s, s[i] if _place(s, i) is not None else _NO_INDEX

    def set(self, s: _Items, i: int, v: Any) -> Step:
        return _replaced(s, i, v), _NO_INDEX if _place(s, i) is None else None

    def remove(self, s: _Items, v: Any) -> Step:
        return _removed(s, v), None if v in s else _NO_VALUE

    def contains(self, s: _Items, v: Any) -> Step:
        return s, v in s

    def size(self, s: _Items) -> Step:
        return s, len(s)

    def copy(self, s: _Items) -> Step:
        return s, s

    def clear(self, s: _Items) -> Step:
        return (), None

    fine = """
        append || append                   : v1 == v2
        append || pop                      : last(s) == v1
        append || item                     : at(s, i2) == at(appended(s, v1), i2)
        append || set :
            missing(at(s, i2)) == missing(at(appended(s, v1), i2)) and replaced(appended(s, v1), i2, v2) ==
            appended(replaced(s, i2, v2), v1)
        append || remove, contains         : v1 != v2 or v1 in s
        pop || pop                         : at(s, -1) == at(s, -2)
        pop || item                        : at(s, i2) == at(popped(s), i2)
        pop || set :
            missing(at(s, i2)) == missing(at(popped(s), i2)) and last(replaced(s, i2, v2)) == last(s) and
            popped(replaced(s, i2, v2)) == replaced(popped(s), i2, v2)
        pop || remove :
            (v2 in s) == (v2 in popped(s)) and last(removed(s, v2)) == last(s) and popped(removed(s, v2)) ==
            removed(popped(s), v2)
        pop || contains                    : (v2 in s) == (v2 in popped(s))
        pop || size, copy, clear           : len(s) == 0
        size, copy || clear                : len(s) == 0
        item || item, contains, size, copy : True
        set || size                        : True
        contains || contains, size, copy   : True
        size || size, copy                 : True
        copy || copy                       : True
        clear || clear                     : True
        item || set                        : at(s, i1) == at(replaced(s, i2, v2), i1)
        item || remove                     : at(s, i1) == at(removed(s, v2), i1)
        item, set || clear                 : place(s, i1) == None
        set || set :
            i1 == i2 and v1 == v2 or replaced(replaced(s, i1, v1), i2, v2) == replaced(replaced(s, i2, v2),
            i1, v1)
        set || remove :
            (v2 in s) == (v2 in replaced(s, i1, v1)) and missing(at(s, i1)) == missing(at(removed(s, v2),
            i1)) and removed(replaced(s, i1, v1), v2) == replaced(removed(s, v2), i1, v1)
        set || contains                    : (v2 in s) == (v2 in replaced(s, i1, v1))
        set || copy                        : at(s, i1) == v1 or place(s, i1) == None
        remove || remove :
            (v1 in s) == (v1 in removed(s, v2)) and (v2 in s) == (v2 in removed(s, v1)) and
            removed(removed(s, v1), v2) == removed(removed(s, v2), v1)
        remove || contains                 : (v2 in s) == (v2 in removed(s, v1))
        remove || size, copy, clear        : v1 not in s
        contains || clear                  : v1 not in s
    """

    coarse = """
        append || item                     : not raised(r2) and i2 >= 0 and v1 != r2
        append || remove, contains         : v1 != v2
        pop || pop, remove                 : raised(r1) and raised(r2)
        set || remove                      : raised(r1) and raised(r2)
        pop || item, set, size, copy       : raised(r1)
        set || contains, copy              : raised(r1)
        remove || size, copy               : raised(r1)
        pop || contains                    : raised(r1) or v2 != r1
        item || item, contains, size, copy : True
        set || size                        : True
        contains || contains, size, copy   : True
        size || size, copy                 : True
        copy || copy                       : True
        clear || clear                     : True
        item, set || set                   : raised(r1) or raised(r2) or i1 != i2 and i1 >= 0 and i2 >= 0
        item || remove                     : raised(r2)
        remove || remove                   : v1 != v2 or raised(r1) and raised(r2)
        remove || contains                 : raised(r1) or v1 != v2
    """


class DequeType(SharedType):
    """``collections.deque`` without a ``maxlen``."""

    name = "deque"
    initials = ((),)
    scope = {"v": (None, 0, "x")}
    functions: ClassVar[Mapping[str, Any]] = {"popped": _popped, "rest": lambda s: s[1:]}

    def bounded(self, s: _Items) -> bool:
        return len(s) <= 3

    def append(self, s: _Items, v: Any) -> Step:
        return (*s, v), None

    def appendleft(self, s: _Items, v: Any) -> Step:
        return (v, *s), None

    def pop(self, s: _Items) -> Step:
        return (s[:-1], s[-1]) if s else (s, _NO_INDEX)

    def popleft(self, s: _Items) -> Step:
        return (s[1:], s[0]) if s else (s, _NO_INDEX)

    def contains(self, s: _Items, v: Any) -> Step:
        return s, v in s

    def size(self, s: _Items) -> Step:
        return s, len(s)

    def copy(self, s: _Items) -> Step:
        return s, s

    def clear(self, s: _Items) -> Step:
        return (), None

    fine = """
        append || append                  : v1 == v2
        appendleft || appendleft          : v1 == v2
        append || appendleft              : True
        contains || contains, size, copy  : True
        size || size, copy                : True
        copy || copy                      : True
        clear || clear                    : True
        append || pop                     : last(s) == v1
        append || popleft                 : len(s) != 0
        appendleft || pop                 : len(s) != 0
        append, appendleft || contains    : v1 != v2 or v1 in s
        appendleft || popleft             : first(s) == v1
        pop || pop                        : at(s, -1) == at(s, -2)
        pop || popleft                    : len(s) != 1
        pop || contains                   : v2 != last(s) or (v2 in popped(s))
        pop, popleft || size, copy, clear : len(s) == 0
        size, copy || clear               : len(s) == 0
        popleft || popleft                : at(s, 0) == at(s, 1)
        popleft || contains               : v2 != first(s) or (v2 in rest(s))
        contains || clear                 : v1 not in s
    """

    coarse = """
        append || appendleft             : True
        contains || contains, size, copy : True
        size || size, copy               : True
        copy || copy                     : True
        clear || clear                   : True
        append || popleft                : not raised(r2) and v1 != r2
        appendleft || pop                : not raised(r2) and v1 != r2
        append, appendleft || contains   : v1 != v2
        pop || pop, popleft              : raised(r1) and raised(r2)
        popleft || popleft               : raised(r1) and raised(r2)
        pop, popleft || contains         : raised(r1) or v2 != r1
        pop, popleft || size, copy       : raised(r1)
    """


class ArrayListType(SharedType):
    """A list without indexes from the end. Its methods return None for a missing item, and ``set`` whether there was an
    item; None is no item."""

    name = "array_list"
    initials = ((),)
    scope = {"v": (0, "x"), "i": (0, 1, 2)}
    functions: ClassVar[Mapping[str, Any]] = {"popped": _popped, "replaced": _replaced}

    def bounded(self, s: _Items) -> bool:
        return len(s) <= 3

    def append(self, s: _Items, v: Any) -> Step:
        return (*s, v), None

    def pop_last(self, s: _Items) -> Step:
        return s[:-1], s[-1] if s else None

    def get(self, s: _Items, i: int) -> Step:
        return s, s[i] if i < len(s) else None

    def set(self, s: _Items, i: int, v: Any) -> Step:
        return _replaced(s, i, v), i < len(s)

    def contains(self, s: _Items, v: Any) -> Step:
        return s, v in s

    def size(self, s: _Items) -> Step:
        return s, len(s)

    def clear(self, s: _Items) -> Step:
        return (), None

    fine = """
        append || append           : v1 == v2
        append || pop_last         : last(s) == v1
        append || get              : len(s) != i2
        append || set              : len(s) != i2
        append || contains         : v1 != v2 or v1 in s
        pop_last || pop_last       : at(s, -1) == at(s, -2)
        pop_last || get            : at(s, i2) == at(popped(s), i2)
        pop_last || set :
            missing(at(s, i2)) == missing(at(popped(s), i2)) and last(replaced(s, i2, v2)) == last(s) and
            popped(replaced(s, i2, v2)) == replaced(popped(s), i2, v2)
        pop_last || contains       : (v2 in s) == (v2 in popped(s))
        pop_last || size, clear    : len(s) == 0
        size || clear              : len(s) == 0
        get || get, contains, size : True
        set || size                : True
        contains || contains, size : True
        size || size               : True
        clear || clear             : True
        get || set                 : i1 != i2 or at(s, i1) == v2 or missing(at(s, i1))
        get || clear               : missing(at(s, i1))
        set || clear               : missing(at(s, i1))
        set || set                 : i1 != i2 or v1 == v2 or missing(at(s, i1))
        set || contains            : (v2 in s) == (v2 in replaced(s, i1, v1))
        contains || clear          : v1 not in s
    """

    coarse = """
        append || get              : r2 != None and v1 != r2
        append || contains         : v1 != v2
        pop_last || pop_last       : r1 == None and r2 == None
        pop_last || get, set, size : r1 == None
        pop_last || contains       : v2 != r1
        get || get, contains, size : True
        set || size                : True
        contains || contains, size : True
        size || size               : True
        clear || clear             : True
        get || set                 : i1 != i2 or r1 == None
        set || set                 : i1 != i2
    """


class StackType(SharedType):
    """A stack; ``pop`` and ``top`` of an empty one return None; None is no item."""

    name = "stack"
    initials = ((),)
    scope = {"v": (0, "x")}

    def bounded(self, s: _Items) -> bool:
        return len(s) <= 3

    def push(self, s: _Items, v: Any) -> Step:
        return (*s, v), None

    def pop(self, s: _Items) -> Step:
        return s[:-1], s[-1] if s else None

    def top(self, s: _Items) -> Step:
        return s, s[-1] if s else None

    def size(self, s: _Items) -> Step:
        return s, len(s)

    fine = """
        push || push     : v1 == v2
        push || pop, top : last(s) == v1
        pop || pop, top  : at(s, -1) == at(s, -2)
        pop || size      : len(s) == 0
        top || top, size : True
        size || size     : True
    """

    coarse = """
        pop || pop       : r1 == None and r2 == None
        pop || top, size : r1 == None
        top || top, size : True
        size || size     : True
    """
