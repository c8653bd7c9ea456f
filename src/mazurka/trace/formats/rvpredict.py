"""RV-Predict's binary logs of Java programs: a folder with a file of each thread, ``0_trace.bin`` and so on.

A file is compressed with LZ4 (:mod:`mazurka.trace.formats.lz4_blocks`). In it an event takes 37 bytes, big-endian:

===========  ======  ==================================================================================
event        64      its number, the same clock for all threads, which puts the files in order
thread       64
location     32
address      64      of an access: the object's hash code (upper half) and a field (lower half, negated)
                     or index; of a lock: its identity; of a start or join: the thread's number
value        64      of an access
operation    8       0 read, 1 write, 2-4 atomic, 5 lock, 6 unlock, 7 and 8 of a reader, 9 release and
                     10 acquire of a wait, 11 start, 12 join, 13-16 classes and methods, 17 wants a
                     lock, 18 begin, 19 end
===========  ======  ==================================================================================

Names are RAPID's: ``T11``, ``L2a45c47085``, ``V16e92358.199`` for a field, ``V45c47085[3]`` for an element, and the
location ``10``. As in RAPID, a wait is a release and an acquire (logs have no notifications), and records of classes
and methods are no events. Unlike there, a lock that readers share only keeps the operations on it in order, as several
threads may have it at once; so are atomic accesses, which RV-Predict mostly logs as accesses under a lock of their own.
Values are not read: RV-Predict logs a value apart from its access, so that in a race the log may have another one.

Held in memory when read, 100 bytes an event. A single file, of one thread, can be read, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from mazurka.errors import MazurkaError
from mazurka.trace.columns import Columns, Names, Parts
from mazurka.trace.event import Op
from mazurka.trace.formats.gathering import Interning
from mazurka.trace.formats.source import RV_PREDICTS, TraceSource
from mazurka.trace.formats.words import OWN
from mazurka.trace.locations import location_of
from mazurka.trace.targets import ATOMIC, LOCK, THREAD, VARIABLE, Kind
from mazurka.trace.trace import NO_VALUE

_EVENT: Final = np.dtype(
    [("event", ">i8"), ("thread", ">i8"), ("location", ">i4"), ("address", ">u8"), ("value", ">i8"), ("op", "u1")]
)

#: Kinds of targets, numbered.
_KINDS: Final = (VARIABLE, LOCK, THREAD, ATOMIC, Kind.SHARED_LOCK.tag)
_VAR, _LOCK, _THREAD, _ATOMIC, _SHARED = range(len(_KINDS))

#: Operations, and the kinds of their targets.
_MEANINGS: Final = {
    0: (Op.READ, _VAR),
    1: (Op.WRITE, _VAR),
    2: (Op.RMW, _ATOMIC),
    3: (Op.RMW, _ATOMIC),
    4: (Op.RMW, _ATOMIC),
    5: (Op.ACQUIRE, _LOCK),
    6: (Op.RELEASE, _LOCK),
    7: (Op.RMW, _SHARED),
    8: (Op.RMW, _SHARED),
    9: (Op.RELEASE, _LOCK),
    10: (Op.ACQUIRE, _LOCK),
    11: (Op.FORK, _THREAD),
    12: (Op.JOIN, _THREAD),
    17: (Op.REQUEST, _LOCK),
    18: (Op.BEGIN, _THREAD),
    19: (Op.END, _THREAD),
}

#: Operations that are no events here.
_LEFT_OUT: Final = (13, 14, 15, 16)

_OPS: Final = np.array([_MEANINGS.get(code, (-1, -1))[0] for code in range(256)], np.int8)
_KIND_OF: Final = np.array([_MEANINGS.get(code, (-1, -1))[1] for code in range(256)], np.int64)


def read(source: TraceSource) -> Parts:
    """See ``Module.read``."""
    threads: Interning[int] = Interning("T{}".format)
    targets: Interning[tuple[int, int]] = Interning(_target)
    locations: Interning[int] = Interning(lambda number: location_of(str(number)))
    names = Names(threads.names, targets.names, (), locations.names)
    return Parts(names, _rows(source, threads, targets, locations))


def _target(key: tuple[int, int]) -> tuple[str, str]:
    kind, address = key
    if kind == _THREAD:
        return _KINDS[kind], f"T{address}"
    if kind in (_LOCK, _SHARED):
        return _KINDS[kind], f"L{address:x}"
    thing, place = address >> 32, address & 0xFFFFFFFF
    return _KINDS[kind], f"V{thing:x}" + (f"[{place}]" if place < 1 << 31 else f".{(1 << 32) - place}")


def _rows(source: TraceSource, threads: Any, targets: Any, locations: Any) -> Iterator[Columns]:
    events = _in_order(source)
    op, kind = _OPS[events["op"]], _KIND_OF[events["op"]]
    address = events["address"].astype(np.uint64)
    own = np.isin(op, list(OWN))
    address[own] = events["thread"][own]
    shared = (kind == _LOCK) & np.isin(address, address[kind == _SHARED])
    op[shared], kind[shared] = Op.RMW, _SHARED
    known, which = np.unique(address, return_inverse=True)
    keys = which * len(_KINDS) + kind
    found = [(key % len(_KINDS), int(known[key // len(_KINDS)])) for key in _first(keys)]
    thread = _numbered(events["thread"].astype(np.int64), threads)
    target = _mapped(keys, [targets[each] for each in found])
    for number in (address for kind, address in found if kind == _THREAD):
        threads[number]  # numbers a thread that is only started or joined, too
    site = _numbered(events["location"].astype(np.int64), locations)
    yield Columns(thread, op, target, np.full(len(events), NO_VALUE, np.int32), site)


def _in_order(source: TraceSource) -> NDArray[Any]:
    """The events of all threads, without those of classes and methods, in the order of their numbers."""
    if source.path.is_dir():
        read = []
        for path in sorted(source.path.glob(RV_PREDICTS)):
            with TraceSource(path) as one:
                read.append(_events(one))
        events = np.concatenate(read)
    else:
        events = _events(source)
    events = events[np.argsort(events["event"], kind="stable")]
    again = np.flatnonzero(np.diff(events["event"]) == 0)
    if len(again):
        message = f"two events have the number {events['event'][again[0]]}"
        raise MazurkaError("trace-malformed", message, where=source.name)
    return events


def _events(source: TraceSource) -> NDArray[Any]:
    """The events of one file."""
    data = b"".join(iter(lambda: source.read(1 << 22), b""))
    if len(data) % _EVENT.itemsize:
        raise source.truncated(f"it ends within event {len(data) // _EVENT.itemsize}")
    events = np.frombuffer(data, _EVENT)
    for wrong, message in (
        (~np.isin(events["op"], (*_MEANINGS, *_LEFT_OUT)), "has no operation known: {0[op]}"),
        (events["thread"] < 0, "has no thread: {0[thread]}"),
    ):
        if len(rows := np.flatnonzero(wrong)):
            row = int(rows[0])
            where = f"{source.name}, byte {row * _EVENT.itemsize} of the data before compression"
            raise MazurkaError("trace-malformed", f"event {row} {message.format(events[row])}", where=where)
    return events[~np.isin(events["op"], _LEFT_OUT)]


def _first(keys: NDArray[np.int64]) -> list[int]:
    """The different keys, in order of appearance."""
    found, first = np.unique(keys, return_index=True)
    ordered: list[int] = found[np.argsort(first)].tolist()
    return ordered


def _mapped(keys: NDArray[np.int64], numbers: list[int]) -> NDArray[np.int32]:
    """The number of each key, in order of appearance."""
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    by_key = np.empty(len(first), np.int32)
    by_key[np.argsort(first)] = numbers
    mapped: NDArray[np.int32] = by_key[which]
    return mapped


def _numbered(keys: NDArray[np.int64], table: Any) -> NDArray[np.int32]:
    return _mapped(keys, [table[key] for key in _first(keys)])


def write(parts: Parts, out: BinaryIO) -> list[str]:
    """Always an error ``trace-cannot-carry``: the format can only be read."""
    message = "RV-Predict's logs, one file for each thread, can only be read"
    raise MazurkaError("trace-cannot-carry", message, hint="convert to std, rapidbin or parquet")
