"""Mappings: Python's dictionaries and their relatives, and a hash table (thesis, table 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from mazurka.commute.shared_type import NOTHING, SharedType, Step
from mazurka.trace.literals import Raised, Value

#: Keys with their values: a set if methods do not show their order, otherwise a sequence.
_Items = frozenset[tuple[Value, Any]]
_Ordered = tuple[tuple[Value, Any], ...]

_MISSING = Raised("KeyError")


def _without(s: _Items, k: Value) -> _Items:
    return frozenset(item for item in s if item[0] != k)


class DictType(SharedType):
    """``dict``: the order of its keys is no part of its state. If a program observes the order (by iterating,
    ``popitem`` or ``repr``), the dictionary is an :class:`OrderedDictType`."""

    name = "dict"
    initials = (frozenset(),)
    scope = {"k": ("a", "b"), "v": (None, 0, "x")}

    def set(self, s: _Items, k: Value, v: Any) -> Step:
        return _without(s, k) | {(k, v)}, None

    def get(self, s: _Items, k: Value) -> Step:
        return s, dict(s).get(k)

    def item(self, s: _Items, k: Value) -> Step:
        return s, dict(s).get(k, _MISSING)

    def contains(self, s: _Items, k: Value) -> Step:
        return s, k in dict(s)

    def delete(self, s: _Items, k: Value) -> Step:
        return _without(s, k), None if k in dict(s) else _MISSING

    def pop(self, s: _Items, k: Value) -> Step:
        return _without(s, k), dict(s).get(k, _MISSING)

    def setdefault(self, s: _Items, k: Value, v: Any) -> Step:
        return (s, dict(s)[k]) if k in dict(s) else (s | {(k, v)}, v)

    def size(self, s: _Items) -> Step:
        return s, len(s)

    def clear(self, s: _Items) -> Step:
        return frozenset(), None

    fine = """
        set || set                            : k1 != k2 or v1 == v2
        set || get                            : k1 != k2 or get(s, k1) == v1 or v1 == None and missing(get(s, k1))
        set || item                           : k1 != k2 or get(s, k1) == v1
        set || contains                       : k1 != k2 or not missing(get(s, k1))
        item, contains || setdefault          : k1 != k2 or not missing(get(s, k1))
        set || delete, pop                    : k1 != k2
        delete, pop || setdefault             : k1 != k2
        set || setdefault                     : k1 != k2 or get(s, k1) == v1 or (v1 == v2 and missing(get(s, k1)))
        set, setdefault || size               : not missing(get(s, k1))
        get || get, item, contains, size      : True
        item || item, contains, size          : True
        contains || contains, size            : True
        size || size                          : True
        clear || clear                        : True
        get || delete, pop                    : k1 != k2 or missing(get(s, k1)) or get(s, k1) == None
        get || setdefault                     : k1 != k2 or not missing(get(s, k1)) or v2 == None
        get || clear                          : missing(get(s, k1)) or get(s, k1) == None
        item, contains, delete || delete, pop : k1 != k2 or missing(get(s, k1))
        pop || pop                            : k1 != k2 or missing(get(s, k1))
        item, contains || clear               : missing(get(s, k1))
        delete, pop || size, clear            : missing(get(s, k1))
        setdefault || setdefault              : k1 != k2 or v1 == v2 or not missing(get(s, k1))
        size || clear                         : len(s) == 0
    """

    coarse = """
        set || set                                   : k1 != k2
        set || get, item, contains, delete, pop, setdefault : k1 != k2
        delete, pop || setdefault                    : k1 != k2
        get || get, item, contains, size             : True
        item || item, contains, size                 : True
        contains || contains, size                   : True
        size || size                                 : True
        clear || clear                               : True
        get || delete                                : raised(r2) or k1 != k2
        item, contains || delete, pop                : raised(r2) or k1 != k2
        get || pop                                   : raised(r2) or k1 != k2 or r2 == None
        get || setdefault                            : k1 != k2 or r2 == None or v2 != r2
        item, contains || setdefault                 : k1 != k2 or v2 != r2
        delete || delete, pop                        : k1 != k2 or raised(r1) and raised(r2)
        pop || pop                                   : k1 != k2 or raised(r1) and raised(r2)
        delete, pop || size                          : raised(r1)
        setdefault || setdefault                     : k1 != k2 or v1 != r1 and v2 != r2
        setdefault || size                           : v1 != r1
    """


class HashTableType(SharedType):
    """A hash table whose ``put`` and ``remove`` return the previous value, or None if there was none; None is no value
    (thesis, table 4.2)."""

    name = "hash_table"
    initials = (frozenset(),)
    scope = {"k": ("a", "b"), "v": (0, 1)}

    def put(self, s: _Items, k: Value, v: Any) -> Step:
        return _without(s, k) | {(k, v)}, dict(s).get(k)

    def get(self, s: _Items, k: Value) -> Step:
        return s, dict(s).get(k)

    def remove(self, s: _Items, k: Value) -> Step:
        return _without(s, k), dict(s).get(k)

    def contains(self, s: _Items, k: Value) -> Step:
        return s, k in dict(s)

    def put_if_absent(self, s: _Items, k: Value, v: Any) -> Step:
        return (s, dict(s)[k]) if k in dict(s) else (s | {(k, v)}, v)

    def size(self, s: _Items) -> Step:
        return s, len(s)

    fine = """
        put || put                     : k1 != k2 or v1 == v2 and get(s, k1) == v1
        put || get, put_if_absent      : k1 != k2 or get(s, k1) == v1
        put || remove                  : k1 != k2
        remove || put_if_absent        : k1 != k2
        put || contains                : k1 != k2 or not missing(get(s, k1))
        get, contains || put_if_absent : k1 != k2 or not missing(get(s, k1))
        put, put_if_absent || size     : not missing(get(s, k1))
        get || get, contains, size     : True
        contains || contains, size     : True
        size || size                   : True
        get || remove                  : k1 != k2 or missing(get(s, k1))
        remove || remove, contains     : k1 != k2 or missing(get(s, k1))
        remove || size                 : missing(get(s, k1))
        put_if_absent || put_if_absent : k1 != k2 or v1 == v2 or not missing(get(s, k1))
    """

    coarse = """
        put || put                     : k1 != k2 or v1 == r1 and v2 == r2
        put || get                     : k1 != k2 or v1 == r1
        put || remove                  : k1 != k2
        remove || put_if_absent        : k1 != k2
        put || contains                : k1 != k2 or r1 != None
        put || put_if_absent           : k1 != k2 or v1 == r1 and v2 != r2
        put || size                    : r1 != None
        get || get, contains, size     : True
        contains || contains, size     : True
        size || size                   : True
        get || remove                  : k1 != k2 or r2 == None
        get, contains || put_if_absent : k1 != k2 or v2 != r2
        remove || remove               : k1 != k2 or r1 == None and r2 == None
        remove || contains             : k1 != k2 or r1 == None
        remove || size                 : r1 == None
        put_if_absent || put_if_absent : k1 != k2 or v1 != r1 and v2 != r2
        put_if_absent || size          : v1 != r1
    """


class DefaultDictType(SharedType):
    """``collections.defaultdict(int)``: looking up a missing key adds it, with the value 0."""

    name = "defaultdict"
    initials = (frozenset(),)
    scope = {"k": ("a", "b"), "v": (0, 1, 2)}

    def item(self, s: _Items, k: Value) -> Step:
        return (s, dict(s)[k]) if k in dict(s) else (s | {(k, 0)}, 0)

    def set(self, s: _Items, k: Value, v: Any) -> Step:
        return _without(s, k) | {(k, v)}, None

    def get(self, s: _Items, k: Value) -> Step:
        return s, dict(s).get(k)

    def contains(self, s: _Items, k: Value) -> Step:
        return s, k in dict(s)

    def delete(self, s: _Items, k: Value) -> Step:
        return _without(s, k), None if k in dict(s) else _MISSING

    def size(self, s: _Items) -> Step:
        return s, len(s)

    fine = """
        item || item                    : True
        get || get, contains, size      : True
        contains || contains, size      : True
        size || size                    : True
        item || set                     : k1 != k2 or get(s, k1) == v2 or (missing(get(s, k1)) and v2 == 0)
        item || get, contains           : k1 != k2 or not missing(get(s, k1))
        set || contains                 : k1 != k2 or not missing(get(s, k1))
        item, set || delete             : k1 != k2
        item, set || size               : not missing(get(s, k1))
        set || set                      : k1 != k2 or v1 == v2
        set || get                      : k1 != k2 or get(s, k1) == v1
        get, contains, delete || delete : k1 != k2 or missing(get(s, k1))
        delete || size                  : missing(get(s, k1))
    """

    coarse = """
        item || item                 : True
        get || get, contains, size   : True
        contains || contains, size   : True
        size || size                 : True
        item || set, delete          : k1 != k2
        set || get, contains, delete : k1 != k2
        item || get, contains        : k1 != k2 or r1 != 0
        item || size                 : r1 != 0
        set || set                   : k1 != k2
        get, contains || delete      : raised(r2) or k1 != k2
        delete || delete             : k1 != k2 or raised(r1) and raised(r2)
        delete || size               : raised(r1)
    """


class CounterType(SharedType):
    """``collections.Counter``: a missing key counts 0. ``update`` and ``subtract`` count one key."""

    name = "Counter"
    initials = (frozenset(),)
    scope = {"k": ("a", "b"), "n": (0, 1, 2)}

    def bounded(self, s: _Items) -> bool:
        return all(-1 <= count <= 2 for _, count in s)

    def item(self, s: _Items, k: Value) -> Step:
        return s, dict(s).get(k, 0)

    def set(self, s: _Items, k: Value, n: int) -> Step:
        return _without(s, k) | {(k, n)}, None

    def update(self, s: _Items, k: Value, n: int) -> Step:
        return _without(s, k) | {(k, dict(s).get(k, 0) + n)}, None

    def subtract(self, s: _Items, k: Value, n: int) -> Step:
        return _without(s, k) | {(k, dict(s).get(k, 0) - n)}, None

    def contains(self, s: _Items, k: Value) -> Step:
        return s, k in dict(s)

    def delete(self, s: _Items, k: Value) -> Step:
        return _without(s, k), None  # a missing key is no error

    def total(self, s: _Items) -> Step:
        return s, sum(count for _, count in s)

    fine = """
        item || item, contains, total     : True
        update || update, subtract        : True
        subtract || subtract              : True
        contains || contains, total       : True
        delete || delete                  : True
        total || total                    : True
        item || set                       : k1 != k2 or get(s, k1) == n2 or (missing(get(s, k1)) and n2 == 0)
        item, set || update, subtract     : k1 != k2 or n2 == 0
        item || delete                    : k1 != k2 or missing(get(s, k1)) or get(s, k1) == 0
        set || set                        : k1 != k2 or n1 == n2
        set, update, subtract || contains : k1 != k2 or not missing(get(s, k1))
        set, update, subtract || delete   : k1 != k2
        set || total                      : get(s, k1) == n1 or missing(get(s, k1)) and n1 == 0
        update, subtract || total         : n1 == 0
        contains || delete                : k1 != k2 or missing(get(s, k1))
        delete || total                   : missing(get(s, k1)) or get(s, k1) == 0
    """

    coarse = """
        item || item, contains, total             : True
        update || update, subtract                : True
        subtract || subtract                      : True
        contains || contains, total               : True
        delete || delete                          : True
        total || total                            : True
        item || set, delete                       : k1 != k2
        set, update, subtract || contains, delete : k1 != k2
        contains || delete                        : k1 != k2
        item, set || update, subtract             : k1 != k2 or n2 == 0
        set || set                                : k1 != k2
        update, subtract || total                 : n1 == 0
    """


class OrderedDictType(SharedType):
    """``collections.OrderedDict``, and any ``dict`` that is iterated over: the order of its keys shows."""

    name = "OrderedDict"
    initials = ((),)
    scope = {"k": ("a", "b", "c"), "v": (None, 0)}
    functions: ClassVar[Mapping[str, Any]] = {"key": lambda item: item if item is NOTHING else item[0]}

    def set(self, s: _Ordered, k: Value, v: Any) -> Step:
        return tuple({**dict(s), k: v}.items()), None

    def get(self, s: _Ordered, k: Value) -> Step:
        return s, dict(s).get(k)

    def contains(self, s: _Ordered, k: Value) -> Step:
        return s, k in dict(s)

    def delete(self, s: _Ordered, k: Value) -> Step:
        return tuple(item for item in s if item[0] != k), None if k in dict(s) else _MISSING

    def move_to_end(self, s: _Ordered, k: Value) -> Step:
        if k not in dict(s):
            return s, _MISSING
        return (*[item for item in s if item[0] != k], (k, dict(s)[k])), None

    def popitem(self, s: _Ordered) -> Step:
        return (s[:-1], s[-1]) if s else (s, _MISSING)

    def popfirst(self, s: _Ordered) -> Step:
        return (s[1:], s[0]) if s else (s, _MISSING)  # popitem(last=False)

    def items(self, s: _Ordered) -> Step:
        return s, s

    def size(self, s: _Ordered) -> Step:
        return s, len(s)

    fine = """
        set || set :
            k1 == k2 and v1 == v2 or k1 != k2 and not (missing(get(s, k1)) and missing(get(s, k2)))
        set || get :
            k1 != k2 or get(s, k1) == v1 or v1 == None and missing(get(s, k1))
        set || contains                              : k1 != k2 or not missing(get(s, k1))
        set || delete                                : k1 != k2
        set || move_to_end                           : not missing(get(s, k1)) or k1 != k2 and missing(get(s, k2))
        set || popitem                               : not missing(get(s, k1)) and key(last(s)) != k1
        set || popfirst                              : len(s) != 0 and key(first(s)) != k1
        set || items                                 : get(s, k1) == v1
        set || size                                  : not missing(get(s, k1))
        get || get, contains, move_to_end, items, size : True
        contains || contains, move_to_end, items, size : True
        move_to_end, size || size                    : True
        items || items, size                         : True
        get || delete                                : k1 != k2 or missing(get(s, k1)) or get(s, k1) == None
        get || popitem                               : key(last(s)) != k1 or get(s, k1) == None
        get || popfirst                              : key(first(s)) != k1 or get(s, k1) == None
        contains || delete                           : k1 != k2 or missing(get(s, k1))
        delete || delete, move_to_end                : k1 != k2 or missing(get(s, k1))
        contains, delete || popitem                  : key(last(s)) != k1
        contains, delete, move_to_end || popfirst    : key(first(s)) != k1
        delete || items, size                        : missing(get(s, k1))
        move_to_end || popitem                       : missing(get(s, k1))
        move_to_end || move_to_end                   : k1 == k2 or missing(get(s, k1)) or missing(get(s, k2))
        move_to_end || items                         : missing(get(s, k1)) or key(last(s)) == k1
        popitem || popitem, items, size              : len(s) == 0
        popfirst || popfirst, items, size            : len(s) == 0
        popitem || popfirst                          : len(s) != 1
    """

    coarse = """
        set || get, contains, delete                 : k1 != k2
        set || move_to_end                           : raised(r2) and k1 != k2
        get || get, contains, move_to_end, items, size : True
        contains || contains, move_to_end, items, size : True
        move_to_end, size || size                    : True
        items || items, size                         : True
        get, contains || delete                      : raised(r2) or k1 != k2
        get, contains || popitem, popfirst           : raised(r2) or key(r2) != k1
        delete || delete                             : k1 != k2 or raised(r1) and raised(r2)
        delete || move_to_end                        : raised(r1) or k1 != k2
        delete, move_to_end || popitem, popfirst     : raised(r1) and (raised(r2) or key(r2) != k1)
        delete, popitem, popfirst || items, size     : raised(r1)
        move_to_end || items                         : raised(r1)
        move_to_end || move_to_end                   : raised(r1) or raised(r2)
        popitem || popitem, popfirst                 : raised(r1) and raised(r2)
        popfirst || popfirst                         : raised(r1) and raised(r2)
    """
