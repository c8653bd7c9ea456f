"""The attributes of threads and primitives: a table of the values that are accepted, and where these are kept.

Source: POSIX.1-2017, with the error codes of glibc. Attributes are kept in the program's own object of attributes, so
that copies of it, its initialisation and its lifetime are those of memory. What each means is on the page on the C
library, docs/reference/c-library.md.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mazurka.program.llvm.memory_objects import STACK_SIZE

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_EINVAL, _ENOTSUP = 22, 95

DETACHED: Final = 1
PRIO_INHERIT, PRIO_PROTECT = 1, 2
NONRECURSIVE_WRITERS_FIRST: Final = 2

#: The least size of a stack, and the size of the guard behind it.
_LEAST_STACK, _PAGE = 16384, 4096

_ANY: Final = range(1 << 64)


class _Attribute(NamedTuple):
    """Where an attribute is kept, in bits; the values that are accepted; the value at first; the bytes that its getter
    writes."""

    at: int
    bits: int
    accepted: Container[int]
    first: int = 0
    shown: int = 4


_MUTEX: Final = {
    "type": _Attribute(0, 2, range(4)),
    "robust": _Attribute(2, 1, range(2)),
    "pshared": _Attribute(3, 1, range(2)),
    "protocol": _Attribute(4, 2, range(3)),
    "prioceiling": _Attribute(8, 8, range(1, 100), 1),
}
_CONDITION: Final = {"pshared": _Attribute(0, 8, range(2)), "clock": _Attribute(8, 8, range(2))}
_LOCK: Final = {"pshared": _Attribute(0, 8, range(2)), "kind_np": _Attribute(8, 8, range(3))}
_BARRIER: Final = {"pshared": _Attribute(0, 8, range(2))}
_THREAD: Final = {
    "detachstate": _Attribute(0, 8, range(2)),
    "scope": _Attribute(8, 8, range(1)),
    "inheritsched": _Attribute(16, 8, range(2)),
    "schedpolicy": _Attribute(24, 8, range(3)),
    "schedparam": _Attribute(32, 32, range(100)),
    "guardsize": _Attribute(64, 64, _ANY, _PAGE, 8),
    "stackaddr": _Attribute(128, 64, _ANY, 0, 8),
    "stacksize": _Attribute(192, 64, range(_LEAST_STACK, 1 << 64), STACK_SIZE, 8),
}

#: The objects of attributes, by the beginnings of their functions' names: their sizes and their attributes.
_OBJECTS: Final = {
    "pthread_attr": (56, _THREAD),
    "pthread_mutexattr": (4, _MUTEX),
    "pthread_condattr": (4, _CONDITION),
    "pthread_rwlockattr": (8, _LOCK),
    "pthread_barrierattr": (4, _BARRIER),
}


def attribute(m: Machine, site: int, address: int, kind: str, name: str) -> int:
    """The value of an attribute; ``address`` is 0 for an object that has those at first."""
    found = _OBJECTS[kind][1][name]
    return _get(m, site, address, found) if address else found.first


def _get(m: Machine, site: int, address: int, found: _Attribute) -> int:
    word = int(m.memory.load(address + found.at // 8, max(found.bits // 8, 1), site))
    return word >> found.at % 8 & (1 << found.bits) - 1


def _put(m: Machine, site: int, address: int, found: _Attribute, value: int) -> None:
    place, size, shift = address + found.at // 8, max(found.bits // 8, 1), found.at % 8
    others = 0
    if found.bits < 8:
        others = int(m.memory.load(place, size, site)) & ~((1 << found.bits) - 1 << shift)
    m.memory.store(place, size, others | value << shift, site)


def _initialise(size: int, attributes: dict[str, _Attribute]) -> Callable[..., int]:
    content = sum(each.first << each.at for each in attributes.values()).to_bytes(size, "little")

    def initialise(m: Machine, site: int, address: int) -> int:
        m.memory.write(address, content, site)
        return 0

    return initialise


def _setter(name: str, found: _Attribute) -> Callable[..., int]:
    def set_(m: Machine, site: int, address: int, value: int) -> int:
        if value not in found.accepted:
            return _ENOTSUP if (name, value) == ("scope", 1) else _EINVAL
        _put(m, site, address, found, value)
        return 0

    return set_


def _getter(found: _Attribute) -> Callable[..., int]:
    def get(m: Machine, site: int, address: int, place: int) -> int:
        m.memory.store(place, found.shown, _get(m, site, address, found), site)
        return 0

    return get


def accepts_priority(policy: int, priority: int) -> bool:
    """Whether a policy has this priority: ``SCHED_FIFO`` and ``SCHED_RR`` have those from 1 to 99, others have 0."""
    return 1 <= priority <= 99 if policy in (1, 2) else priority == 0


def _set_priority(m: Machine, site: int, address: int, parameters: int) -> int:
    priority = int(m.memory.load(parameters, 4, site))
    if not accepts_priority(_get(m, site, address, _THREAD["schedpolicy"]), priority):
        return _EINVAL
    _put(m, site, address, _THREAD["schedparam"], priority)
    return 0


def _set_stack(m: Machine, site: int, address: int, place: int, size: int) -> int:
    if size < _LEAST_STACK:
        return _EINVAL
    _put(m, site, address, _THREAD["stackaddr"], place + size & (1 << 64) - 1)
    _put(m, site, address, _THREAD["stacksize"], size)
    return 0


def _stack(m: Machine, site: int, address: int, place: int, size: int) -> int:
    length = _get(m, site, address, _THREAD["stacksize"])
    m.memory.store(place, 8, _get(m, site, address, _THREAD["stackaddr"]) - length & (1 << 64) - 1, site)
    m.memory.store(size, 8, length, site)
    return 0


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **{f"{kind}_init": _initialise(*row) for kind, row in _OBJECTS.items()},
    **{f"{kind}_destroy": lambda m, site, address: 0 for kind in _OBJECTS},
    **{
        f"{kind}_set{name}": _setter(name, found)
        for kind, (_, attributes) in _OBJECTS.items()
        for name, found in attributes.items()
    },
    **{
        f"{kind}_get{name}": _getter(found)
        for kind, (_, attributes) in _OBJECTS.items()
        for name, found in attributes.items()
    },
    "pthread_attr_setschedparam": _set_priority,
    "pthread_attr_setstack": _set_stack,
    "pthread_attr_getstack": _stack,
}
