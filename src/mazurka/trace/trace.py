"""A run as columns: one row per access, in the order in which things happened, and tables of the names.

Rows are numbered from 0. A step of a run's log that touches several targets at once (giving up a lock while parking on
a condition) is several consecutive rows with the same ``step``; nothing of another thread comes between them. In a
trace from elsewhere every row is a step of its own.

Columns are arrays of the standard library for runs of our own, so that a check of one failing run does not wait
for NumPy to be imported, and NumPy's for traces that are read (:mod:`mazurka.trace.columns`). Compiled analyses see
either without a copy (``numpy.asarray(trace.thread)``). Values are interned, so that equal values are equal small
integers; a value that can't be hashed is represented by its ``repr``. Indexes are built once, when first asked for.

Targets are tuples whose first component is the kind: ``("lock", name)``, ``("var", name)``, ``("thread", name)``,
``("cond", name)``; the last component of a thread's target is its name in ``threads``. Targets of all kinds are
numbered together. Cost: one pass; 33 bytes per row for a run of our own, 17 for a trace that is read.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.event import Event, Location, Op
from mazurka.trace.ids import Row, SiteNumber
from mazurka.trace.targets import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column: TypeAlias = "array[int] | NDArray[Any]"

#: In the column of values: not recorded.
NO_VALUE: Final = -1

#: The target of an event without one: a branch, a call.
NOTHING: Final = (Kind.NOTHING.tag, "")

_OF_THREADS: Final = frozenset({Op.FORK, Op.BEGIN, Op.END, Op.JOIN})


class Table:
    """Interns names: equal ones get the same number, in order of appearance."""

    __slots__ = ("_numbers", "names")

    def __init__(self) -> None:
        self.names: list[Any] = []
        self._numbers: dict[Hashable, int] = {}

    def number(self, name: Any) -> int:
        """The number of a name, given when it is first asked for; a name that can't be hashed is represented by its
        ``repr``."""
        try:
            known = self._numbers.get(name)
        except TypeError:
            name = repr(name)
            known = self._numbers.get(name)
        if known is None:
            known = self._numbers[name] = len(self.names)
            self.names.append(name)
        return known


@dataclass(frozen=True, eq=False)
class Trace:
    """See the module. All columns have the same length; they index ``threads``, ``targets``, ``values`` and
    ``locations`` (empty for runs of our own, whose program knows its sites). Not slotted: indexes are kept in it."""

    step: Column | range
    thread: Column
    op: Column
    target: Column
    value: Column
    site: Column
    threads: Sequence[str]
    targets: Sequence[Any]
    values: Sequence[Any]
    locations: Sequence[Location] = ()

    @cached_property
    def rows_of_thread(self) -> Sequence[Column]:
        """For each thread its rows, ascending."""
        return _index(self.thread, len(self.threads))

    @cached_property
    def rows_of_target(self) -> Sequence[Column]:
        """For each target its rows, ascending."""
        return _index(self.target, len(self.targets))

    @cached_property
    def thread_of_target(self) -> Column:
        """For each target the number of the thread that it is; -1 if it is no thread, or a thread without events."""
        numbers = {name: number for number, name in enumerate(self.threads)}
        threads = array("i", [-1]) * len(self.targets)
        for target in self._targets_of(_OF_THREADS):
            threads[target] = numbers.get(self.targets[target][-1], -1)
        return threads

    def _targets_of(self, ops: Collection[int]) -> Iterable[int]:
        if not isinstance(self.op, array):
            from mazurka.trace.indexes import touched_by

            return touched_by(self.op, self.target, ops)
        return {target for op, target in zip(self.op, self.target, strict=True) if op in ops}

    def __len__(self) -> int:
        return len(self.thread)

    def events(
        self,
        location: Callable[[SiteNumber], Location | None] | None = None,
        names: dict[Any, str] | None = None,
    ) -> Iterator[Event]:
        """The rows as people see them; ``names`` gives targets in words, ``location`` places for sites."""
        words = names or {}
        place = location or self._location
        for number in range(len(self)):
            target = self.targets[self.target[number]]
            value = self.value[number]
            yield Event(
                Row(number),
                self.threads[self.thread[number]],
                Op(self.op[number]),
                words.get(target, _words(target)),
                None if value == NO_VALUE else repr(self.values[value]),
                place(SiteNumber(self.site[number])),
            )

    def _location(self, site: SiteNumber) -> Location | None:
        return self.locations[site] if 0 <= site < len(self.locations) else None


def trace_of(tasks: Sequence[str], log: Iterable[Any]) -> Trace:
    """The trace of a run, from its tasks and its log of ``(task, op, target, site, point, value, more)``."""
    step, thread, op, target = array("i"), array("i"), array("b"), array("i")
    value, site = array("i"), array("q")
    targets, values = Table(), Table()

    def row(number: int, task: int, done: int, touched: Any, logged: Any, place: int) -> None:
        step.append(number)
        thread.append(task)
        op.append(done)
        target.append(targets.number(touched))
        value.append(NO_VALUE if logged is None else values.number(logged))
        site.append(place)

    for number, (task, done, touched, place, _point, logged, more) in enumerate(log):
        row(number, task, done, touched, logged, place)
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
    )


def _index(column: Column, count: int) -> Sequence[Column]:
    """For each of ``count`` numbers, the rows that have it, ascending."""
    if not isinstance(column, array):
        from mazurka.trace.indexes import Rows

        return Rows(column, count)
    rows = tuple(array("i") for _ in range(count))
    for row, number in enumerate(column):
        rows[number].append(row)
    return rows


def _words(target: Any) -> str:
    return " ".join(map(str, target)) if isinstance(target, tuple) else str(target)
