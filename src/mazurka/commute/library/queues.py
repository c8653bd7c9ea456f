"""Queues: those of the module ``queue``, whose ``get`` waits, and plain ones, which return None instead."""

from __future__ import annotations

from typing import Any

from mazurka.commute.shared_type import BLOCKED, SharedType, Step
from mazurka.trace.literals import Raised

_Items = tuple[Any, ...]

_EMPTY = Raised("Empty")
_FULL = Raised("Full")
_SHUT_DOWN = Raised("ShutDown")

#: Items, the number of unfinished tasks, and the capacity.
_Bounded = tuple[_Items, int, int]

#: Items, the number of unfinished tasks, and whether more items can be put.
_Work = tuple[_Items, int, bool]


class SimpleQueueType(SharedType):
    """``queue.SimpleQueue``, and ``queue.Queue`` without a ``maxsize`` where ``join`` is not called."""

    name = "queue.SimpleQueue"
    initials = ((),)
    scope = {"v": (None, 0, "x")}

    def bounded(self, s: _Items) -> bool:
        return len(s) <= 3

    def put(self, s: _Items, v: Any) -> Step:
        return (*s, v), None

    def get(self, s: _Items) -> Step:
        return (s[1:], s[0]) if s else BLOCKED

    def get_nowait(self, s: _Items) -> Step:
        return (s[1:], s[0]) if s else (s, _EMPTY)

    def empty(self, s: _Items) -> Step:
        return s, not s

    def qsize(self, s: _Items) -> Step:
        return s, len(s)

    fine = """
        put || put                    : v1 == v2
        put || get, get_nowait, empty : len(s) != 0
        get || get, get_nowait        : at(s, 0) == at(s, 1)
        get_nowait || get_nowait      : at(s, 0) == at(s, 1)
        get, get_nowait || empty      : len(s) != 1
        get_nowait || qsize           : len(s) == 0
        empty || empty, qsize         : True
        qsize || qsize                : True
    """

    coarse = """
        put || get                 : v1 != r2
        put || get_nowait          : not raised(r2) and v1 != r2
        get_nowait || get_nowait   : raised(r1) and raised(r2)
        get_nowait || empty, qsize : raised(r1)
        empty || empty, qsize      : True
        qsize || qsize             : True
    """


class QueueType(SharedType):
    """``queue.Queue`` with a ``maxsize``: ``put`` waits while it is full, ``join`` until all items are done."""

    name = "queue.Queue"
    initials = tuple(((), 0, size) for size in (1, 2, 3))  # items, unfinished tasks, `maxsize`
    scope = {"v": (None, 0, "x")}
    functions = {"items": lambda s: s[0], "unfinished": lambda s: s[1], "room": lambda s: s[2] - len(s[0])}

    def bounded(self, s: _Bounded) -> bool:
        return s[1] <= 3

    def put(self, s: _Bounded, v: Any) -> Step:
        return (((*s[0], v), s[1] + 1, s[2]), None) if len(s[0]) < s[2] else BLOCKED

    def put_nowait(self, s: _Bounded, v: Any) -> Step:
        return (((*s[0], v), s[1] + 1, s[2]), None) if len(s[0]) < s[2] else (s, _FULL)

    def get(self, s: _Bounded) -> Step:
        return ((s[0][1:], *s[1:]), s[0][0]) if s[0] else BLOCKED

    def get_nowait(self, s: _Bounded) -> Step:
        return ((s[0][1:], *s[1:]), s[0][0]) if s[0] else (s, _EMPTY)

    def task_done(self, s: _Bounded) -> Step:
        return ((s[0], s[1] - 1, s[2]), None) if s[1] else (s, Raised("ValueError"))

    def join(self, s: _Bounded) -> Step:
        return BLOCKED if s[1] else (s, None)

    def empty(self, s: _Bounded) -> Step:
        return s, not s[0]

    def full(self, s: _Bounded) -> Step:
        return s, len(s[0]) >= s[2]

    def qsize(self, s: _Bounded) -> Step:
        return s, len(s[0])

    fine = """
        put || put                             : v1 == v2
        put || put_nowait                      : v1 == v2 and room(s) != 1
        put, put_nowait || get, get_nowait     : len(items(s)) != 0 and room(s) != 0
        put || task_done                       : unfinished(s) != 0
        put, put_nowait || empty               : len(items(s)) != 0
        put, put_nowait || full                : room(s) != 1
        put_nowait || put_nowait               : room(s) == 0 or v1 == v2 and room(s) != 1
        put_nowait || task_done                : room(s) == 0 or unfinished(s) != 0
        put_nowait || join, qsize              : room(s) == 0
        get || get, get_nowait                 : at(items(s), 0) == at(items(s), 1)
        get_nowait || get_nowait               : at(items(s), 0) == at(items(s), 1)
        get, get_nowait || task_done, join     : True
        task_done, empty || empty, full, qsize : True
        join || join, empty, full, qsize       : True
        full || full, qsize                    : True
        qsize || qsize                         : True
        get, get_nowait || empty               : len(items(s)) != 1
        get, get_nowait || full                : room(s) != 0
        get_nowait || qsize                    : len(items(s)) == 0
        task_done || task_done                 : unfinished(s) != 1
        task_done || join                      : unfinished(s) == 0
    """

    coarse = """
        put_nowait || put_nowait                     : raised(r1) and raised(r2)
        get_nowait || get_nowait                     : raised(r1) and raised(r2)
        put_nowait || task_done, join, empty, full, qsize : raised(r1)
        get_nowait || empty, full, qsize             : raised(r1)
        task_done || join                            : raised(r1)
        get, get_nowait || task_done, join           : True
        task_done, empty || empty, full, qsize       : True
        join || join, empty, full, qsize             : True
        full || full, qsize                          : True
        qsize || qsize                               : True
        task_done || task_done                       : not raised(r1) and not raised(r2) or raised(r1) and raised(r2)
    """


class WorkQueueType(SharedType):
    """``queue.Queue`` without a ``maxsize``. From Python 3.13 on it can be shut down: then it accepts no more items;
    ``shutdown_now`` also removes all items."""

    name = "work_queue"
    initials = (((), 0, True),)  # items, unfinished tasks, whether it accepts more
    scope = {"v": (None, 0, "x")}
    functions = {"items": lambda s: s[0], "unfinished": lambda s: s[1], "is_open": lambda s: s[2]}

    def bounded(self, s: _Work) -> bool:
        return s[1] <= 2 and len(s[0]) <= 2

    def put(self, s: _Work, v: Any) -> Step:
        return (((*s[0], v), s[1] + 1, True), None) if s[2] else (s, _SHUT_DOWN)

    def get(self, s: _Work) -> Step:
        if s[0]:
            return (s[0][1:], *s[1:]), s[0][0]
        return BLOCKED if s[2] else (s, _SHUT_DOWN)

    def get_nowait(self, s: _Work) -> Step:
        if s[0]:
            return (s[0][1:], *s[1:]), s[0][0]
        return s, _EMPTY if s[2] else _SHUT_DOWN

    def task_done(self, s: _Work) -> Step:
        return ((s[0], s[1] - 1, s[2]), None) if s[1] else (s, Raised("ValueError"))

    def join(self, s: _Work) -> Step:
        return BLOCKED if s[1] else (s, None)

    def empty(self, s: _Work) -> Step:
        return s, not s[0]

    def qsize(self, s: _Work) -> Step:
        return s, len(s[0])

    def shutdown(self, s: _Work) -> Step:
        return (s[0], s[1], False), None

    def shutdown_now(self, s: _Work) -> Step:
        return ((), max(s[1] - len(s[0]), 0), False), None

    fine = """
        put || put                                : v1 == v2 or not is_open(s)
        put || get, get_nowait, empty             : len(items(s)) != 0 or not is_open(s)
        put || task_done                          : unfinished(s) != 0 or not is_open(s)
        put || join, qsize, shutdown, shutdown_now : not is_open(s)
        get || get, get_nowait                    : at(items(s), 0) == at(items(s), 1)
        get_nowait || get_nowait                  : at(items(s), 0) == at(items(s), 1)
        get, get_nowait || task_done, join        : True
        get, get_nowait || empty                  : len(items(s)) != 1
        get_nowait || qsize                       : len(items(s)) == 0
        get || qsize                              : len(items(s)) == 0 and not is_open(s)
        get, get_nowait || shutdown               : len(items(s)) != 0 or not is_open(s)
        get, get_nowait || shutdown_now           : len(items(s)) == 0 and not is_open(s)
        task_done || task_done                    : unfinished(s) != 1
        task_done || join                         : unfinished(s) == 0
        task_done || empty, qsize, shutdown       : True
        task_done || shutdown_now : unfinished(s) > len(items(s)) or len(items(s)) == 0 or unfinished(s) == 0
        join || join, empty, qsize, shutdown      : True
        join || shutdown_now                      : unfinished(s) == 0
        empty, qsize || shutdown                  : True
        empty, qsize || shutdown_now              : len(items(s)) == 0
        empty || empty, qsize                     : True
        qsize || qsize                            : True
        shutdown || shutdown, shutdown_now        : True
        shutdown_now || shutdown_now              : True
    """

    coarse = """
        put || put                                   : raised(r1) and raised(r2)
        get_nowait || get_nowait                     : raised(r1) and raised(r2)
        get_nowait || empty, qsize                   : raised(r1)
        get, get_nowait || task_done, join           : True
        task_done || join                            : raised(r1)
        task_done || task_done                       : not raised(r1) and not raised(r2) or raised(r1) and raised(r2)
        task_done || empty, qsize, shutdown          : True
        join || join, empty, qsize, shutdown         : True
        empty, qsize || shutdown                     : True
        empty || empty, qsize                        : True
        qsize || qsize                               : True
        shutdown || shutdown, shutdown_now           : True
        shutdown_now || shutdown_now                 : True
    """


class LifoQueueType(SharedType):
    """``queue.LifoQueue`` without a ``maxsize``."""

    name = "queue.LifoQueue"
    initials = ((),)
    scope = {"v": (None, 0, "x")}

    def bounded(self, s: _Items) -> bool:
        return len(s) <= 3

    def put(self, s: _Items, v: Any) -> Step:
        return (*s, v), None

    def get(self, s: _Items) -> Step:
        return (s[:-1], s[-1]) if s else BLOCKED

    def get_nowait(self, s: _Items) -> Step:
        return (s[:-1], s[-1]) if s else (s, _EMPTY)

    def empty(self, s: _Items) -> Step:
        return s, not s

    def qsize(self, s: _Items) -> Step:
        return s, len(s)

    fine = """
        put || put               : v1 == v2
        put || get, get_nowait   : last(s) == v1
        put || empty             : len(s) != 0
        get || get, get_nowait   : at(s, -1) == at(s, -2)
        get_nowait || get_nowait : at(s, -1) == at(s, -2)
        get, get_nowait || empty : len(s) != 1
        get_nowait || qsize      : len(s) == 0
        empty || empty, qsize    : True
        qsize || qsize           : True
    """

    coarse = """
        get_nowait || get_nowait   : raised(r1) and raised(r2)
        get_nowait || empty, qsize : raised(r1)
        empty || empty, qsize      : True
        qsize || qsize             : True
    """


class PriorityQueueType(SharedType):
    """``queue.PriorityQueue`` without a ``maxsize``; no two items are equal but not the same."""

    name = "queue.PriorityQueue"
    initials = ((),)  # ascending
    scope = {"v": (0, 1, 2)}

    def bounded(self, s: _Items) -> bool:
        return len(s) <= 3

    def put(self, s: _Items, v: Any) -> Step:
        return tuple(sorted((*s, v))), None

    def get(self, s: _Items) -> Step:
        return (s[1:], s[0]) if s else BLOCKED

    def get_nowait(self, s: _Items) -> Step:
        return (s[1:], s[0]) if s else (s, _EMPTY)

    def empty(self, s: _Items) -> Step:
        return s, not s

    def qsize(self, s: _Items) -> Step:
        return s, len(s)

    fine = """
        put || put               : True
        empty || empty, qsize    : True
        qsize || qsize           : True
        put || get, get_nowait   : len(s) != 0 and v1 >= first(s)
        put || empty             : len(s) != 0
        get || get, get_nowait   : at(s, 0) == at(s, 1)
        get_nowait || get_nowait : at(s, 0) == at(s, 1)
        get, get_nowait || empty : len(s) != 1
        get_nowait || qsize      : len(s) == 0
    """

    coarse = """
        put || put                 : True
        empty || empty, qsize      : True
        qsize || qsize             : True
        put || get                 : v1 > r2
        put || get_nowait          : not raised(r2) and v1 > r2
        get_nowait || get_nowait   : raised(r1) and raised(r2)
        get_nowait || empty, qsize : raised(r1)
    """


class PlainQueueType(SharedType):
    """A queue; ``deq`` and ``peek`` of an empty one return None; None is no item."""

    name = "queue"
    initials = ((),)
    scope = {"v": (0, "x")}

    def bounded(self, s: _Items) -> bool:
        return len(s) <= 3

    def enq(self, s: _Items, v: Any) -> Step:
        return (*s, v), None

    def deq(self, s: _Items) -> Step:
        return s[1:], s[0] if s else None

    def peek(self, s: _Items) -> Step:
        return s, s[0] if s else None

    def empty(self, s: _Items) -> Step:
        return s, not s

    def size(self, s: _Items) -> Step:
        return s, len(s)

    fine = """
        enq || enq                : v1 == v2
        enq || deq, peek, empty   : len(s) != 0
        deq || deq, peek          : at(s, 0) == at(s, 1)
        deq || empty              : len(s) != 1
        deq || size               : len(s) == 0
        peek || peek, empty, size : True
        empty || empty, size      : True
        size || size              : True
    """

    coarse = """
        enq || deq, peek          : r2 != None and v1 != r2
        deq || deq                : r1 == None and r2 == None
        deq || peek, empty, size  : r1 == None
        peek || peek, empty, size : True
        empty || empty, size      : True
        size || size              : True
    """


class BoundedQueueType(SharedType):
    """A queue with a capacity; ``put`` returns whether there was room, ``get`` of an empty one returns None; None is no
    item."""

    name = "bounded_queue"
    initials = tuple(((), size) for size in (1, 2, 3))  # items, and the capacity
    scope = {"v": (0, "x")}
    functions = {"items": lambda s: s[0], "room": lambda s: s[1] - len(s[0])}

    def put(self, s: tuple[_Items, int], v: Any) -> Step:
        return (((*s[0], v), s[1]), True) if len(s[0]) < s[1] else (s, False)

    def get(self, s: tuple[_Items, int]) -> Step:
        return (s[0][1:], s[1]), s[0][0] if s[0] else None

    def full(self, s: tuple[_Items, int]) -> Step:
        return s, len(s[0]) >= s[1]

    fine = """
        put || put   : room(s) == 0 or v1 == v2 and room(s) != 1
        put || get   : len(items(s)) != 0 and room(s) != 0
        put || full  : room(s) != 1
        get || get   : at(items(s), 0) == at(items(s), 1)
        get || full  : room(s) != 0
        full || full : True
    """

    coarse = """
        put || put   : not r1 and not r2
        put || full  : not r1
        get || get   : r1 == None and r2 == None
        get || full  : r1 == None
        full || full : True
    """


class HeapType(SharedType):
    """A priority queue; ``pop`` and ``min`` of an empty one return None; None is no item."""

    name = "priority_queue"
    initials = ((),)  # ascending
    scope = {"v": (0, 1, 2)}

    def bounded(self, s: _Items) -> bool:
        return len(s) <= 3

    def push(self, s: _Items, v: Any) -> Step:
        return tuple(sorted((*s, v))), None

    def pop(self, s: _Items) -> Step:
        return s[1:], s[0] if s else None

    def min(self, s: _Items) -> Step:
        return s, s[0] if s else None

    fine = """
        push || push     : True
        min || min       : True
        push || pop, min : len(s) != 0 and v1 >= first(s)
        pop || pop, min  : at(s, 0) == at(s, 1)
    """

    coarse = """
        push || push     : True
        min || min       : True
        push || pop, min : r2 != None and v1 > r2
        pop || pop       : r1 == None and r2 == None
        pop || min       : r1 == None
    """
