"""A run as columns: one row per access, in the order in which things happened, and tables of the names.

A step of a run's log that touches several targets at once (giving up a lock while parking on a condition) is several
consecutive rows with the same ``step``; nothing of another thread comes between them.

Columns are arrays of the standard library: compact, and compiled analyses see them without a copy
(``numpy.asarray(trace.thread)``), while nobody who checks one failing run has to wait for NumPy to be imported.
Values are interned, so that equal values are equal small integers; what can't be hashed is taken by its ``repr``.
Indexes by thread and by target are built once. Cost: one pass; 33 bytes per row.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mazurka.trace.event import Event, Location, Op

#: In the column of values: not recorded.
NO_VALUE: Final = -1


class Table:
    """Interns names: equal ones get the same number, in order of appearance."""

    __slots__ = ("_numbers", "names")

    def __init__(self) -> None:
        self.names: list[Any] = []
        self._numbers: dict[Hashable, int] = {}

    def number(self, name: Any) -> int:
        try:
            known = self._numbers.get(name)
        except TypeError:
            name = repr(name)
            known = self._numbers.get(name)
        if known is None:
            known = self._numbers[name] = len(self.names)
            self.names.append(name)
        return known


@dataclass(frozen=True, slots=True)
class Trace:
    """See the module. All columns have the same length; ``threads``, ``targets`` and ``values`` are what they index."""

    step: array[int]
    thread: array[int]
    op: array[int]
    target: array[int]
    value: array[int]
    site: array[int]
    threads: tuple[str, ...]
    targets: tuple[Any, ...]
    values: tuple[Any, ...]
    rows_of_thread: tuple[array[int], ...]
    rows_of_target: tuple[array[int], ...]

    def __len__(self) -> int:
        return len(self.thread)

    def events(
        self,
        location: Callable[[int], Location | None] = lambda _: None,
        names: dict[Any, str] | None = None,
    ) -> Iterator[Event]:
        """The rows as people see them; ``names`` gives targets in words, ``location`` places for sites."""
        words = names or {}
        for number in range(len(self)):
            target = self.targets[self.target[number]]
            value = self.value[number]
            yield Event(
                number,
                self.threads[self.thread[number]],
                Op(self.op[number]),
                words.get(target, _words(target)),
                None if value == NO_VALUE else repr(self.values[value]),
                location(self.site[number]),
            )


def trace_of(tasks: Sequence[str], log: Iterable[Any]) -> Trace:
    """The trace of a run, from its tasks and its log of ``(task, op, target, site, point, value, more)``."""
    step, thread, op, target = array("i"), array("i"), array("b"), array("i")
    value, site = array("i"), array("q")
    targets, values = Table(), Table()

    def row(number: int, task: int, done: int, touched: Any, told: Any, place: int) -> None:
        step.append(number)
        thread.append(task)
        op.append(done)
        target.append(targets.number(touched))
        value.append(NO_VALUE if told is None else values.number(told))
        site.append(place)

    for number, (task, done, touched, place, _point, told, more) in enumerate(log):
        row(number, task, done, touched, told, place)
        for access in more:
            row(number, task, access.op, access.target, access.value, place)
    return Trace(
        step,
        thread,
        op,
        target,
        value,
        site,
        tuple(tasks),
        tuple(targets.names),
        tuple(values.names),
        _index(thread, len(tasks)),
        _index(target, len(targets.names)),
    )


def _index(column: array[int], count: int) -> tuple[array[int], ...]:
    """For each of ``count`` numbers, the rows that have it, ascending."""
    rows = tuple(array("i") for _ in range(count))
    for row, number in enumerate(column):
        rows[number].append(row)
    return rows


def _words(target: Any) -> str:
    return " ".join(map(str, target)) if isinstance(target, tuple) else str(target)
