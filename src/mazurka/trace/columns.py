"""The columns of traces that are read, as NumPy's, for compiled analyses.

A trace of 200 million events need not be in memory at once: it comes as *parts*, consecutive rows as :class:`Columns`,
whose numbers mean the same in all of them. :class:`Names` says their meaning; its tables grow as parts are read, and
the name of a number never changes. :func:`assemble` makes one :class:`Trace` of all parts.

Dtypes: ``thread``, ``target``, ``value`` and ``site`` are int32, ``op`` is int8: 17 bytes per row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.event import Location
from mazurka.trace.trace import Trace

Numbers = NDArray[np.int32]

#: More rows, names or threads than this have no number in a column.
LARGEST: Final = 2**31 - 1


class Columns(NamedTuple):
    """Consecutive rows of a trace."""

    thread: Numbers
    op: NDArray[np.int8]
    target: Numbers
    value: Numbers
    site: Numbers

    @property
    def rows(self) -> int:
        """The number of events."""
        return len(self.thread)

    def select(self, rows: Any) -> Columns:
        """Those rows; a slice gives views, anything else NumPy indexes with gives copies."""
        return Columns(self.thread[rows], self.op[rows], self.target[rows], self.value[rows], self.site[rows])


def columns_of(trace: Trace) -> Columns:
    """All rows of a trace, copied only where their type differs."""
    numbers = [np.asarray(column, np.int32) for column in (trace.thread, trace.target, trace.value, trace.site)]
    return Columns(numbers[0], np.asarray(trace.op, np.int8), *numbers[1:])


def joined(parts: Iterable[Columns]) -> Columns:
    """All parts as one."""
    held = list(parts)
    if len(held) == 1:
        return held[0]
    if not held:
        nothing = np.zeros(0, np.int32)
        return Columns(nothing, np.zeros(0, np.int8), nothing, nothing, nothing)
    # A column at a time, each given up for the whole: memory for one column twice, not for all.
    columns = [list(column) for column in zip(*held, strict=True)]
    del held
    return Columns(*(np.concatenate(columns.pop(0)) for _ in range(len(columns))))


@dataclass(frozen=True, slots=True)
class Names:
    """The meaning of the numbers in columns; see :class:`Trace`. Threads that are only forked or joined are among
    them."""

    threads: Sequence[str]
    targets: Sequence[tuple[str, str]]
    values: Sequence[str] = ()
    locations: Sequence[Location] = ()


@dataclass(frozen=True, slots=True)
class Parts:
    """A trace that is being read: it can be iterated over once, and ``names`` grow with that."""

    names: Names
    rows: Iterator[Columns]


def assemble(parts: Parts) -> Trace:
    """The whole trace."""
    rows = joined(parts.rows)
    names = parts.names
    return Trace(
        np.arange(rows.rows, dtype=np.int32), *rows, tuple(names.threads), names.targets, names.values, names.locations
    )


def parts_of(trace: Trace, rows: int = 1 << 20) -> Parts:
    """A trace in parts of so many rows. Targets of our own runs become a kind and a name, their values texts, and of
    sites that only the program knows there is none."""
    columns = columns_of(trace)
    if not trace.locations:
        columns = columns._replace(site=np.full(columns.rows, -1, np.int32))
    names = Names(trace.threads, _named(trace.targets), _texts(trace.values), trace.locations)
    return Parts(names, (columns.select(slice(at, at + rows)) for at in range(0, columns.rows, rows)))


def _named(targets: Sequence[Any]) -> Sequence[tuple[str, str]]:
    """Different names for different targets, in plain words where that gives them."""
    named = [(str(target[0]), " ".join(map(str, target[1:]))) for target in targets]
    if len(set(named)) < len(named):
        return [(str(target[0]), repr(target[1:])) for target in targets]
    return named


def _texts(values: Sequence[Any]) -> Sequence[str]:
    """Different texts for different values."""
    return values if all(isinstance(value, str) for value in values) else [repr(value) for value in values]
