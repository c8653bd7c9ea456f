"""A run as columns: one row per access, in the order in which things happened, and tables of the names.

A step of a run's log that touches several targets at once (giving up a lock while parking on a condition) is several
consecutive rows with the same ``step``; nothing of another thread comes between them.

Columns are NumPy arrays, because that is what compiled analyses want; NumPy is imported when the first trace is
built. Values are interned, so that equal values are equal small integers; what can't be hashed is taken by its
``repr``. Indexes by thread and by target are built once. Cost: one pass; 30 bytes per row.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mazurka.trace.event import Event, Location, Op

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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

    step: NDArray[np.int32]
    thread: NDArray[np.int32]
    op: NDArray[np.int8]
    target: NDArray[np.int32]
    value: NDArray[np.int32]
    site: NDArray[np.int64]
    threads: tuple[str, ...]
    targets: tuple[Any, ...]
    values: tuple[Any, ...]
    rows_of_thread: tuple[NDArray[np.int32], ...]
    rows_of_target: tuple[NDArray[np.int32], ...]

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
            value = int(self.value[number])
            yield Event(
                number,
                self.threads[self.thread[number]],
                Op(int(self.op[number])),
                words.get(target, _words(target)),
                None if value == NO_VALUE else repr(self.values[value]),
                location(int(self.site[number])),
            )


def trace_of(tasks: Sequence[str], log: Iterable[Any]) -> Trace:
    """The trace of a run, from its tasks and its log of ``(task, op, target, site, point, value, more)``."""
    import numpy as np

    rows: list[tuple[int, int, int, int, int, int]] = []
    targets, values = Table(), Table()
    for number, (task, op, target, site, _point, value, more) in enumerate(log):
        interned = NO_VALUE if value is None else values.number(value)
        rows.append((number, task, int(op), targets.number(target), interned, site))
        for access in more:
            interned = NO_VALUE if access.value is None else values.number(access.value)
            rows.append((number, task, int(access.op), targets.number(access.target), interned, site))
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 6)
    thread, target_column = table[:, 1].astype(np.int32), table[:, 3].astype(np.int32)
    return Trace(
        table[:, 0].astype(np.int32),
        thread,
        table[:, 2].astype(np.int8),
        target_column,
        table[:, 4].astype(np.int32),
        table[:, 5],
        tuple(tasks),
        tuple(targets.names),
        tuple(values.names),
        _index(thread, len(tasks)),
        _index(target_column, len(targets.names)),
    )


def _index(column: NDArray[np.int32], count: int) -> tuple[NDArray[np.int32], ...]:
    """For each of ``count`` numbers, the rows that have it, ascending."""
    import numpy as np

    order = np.argsort(column, kind="stable").astype(np.int32)
    bounds = np.searchsorted(column[order], np.arange(count + 1))
    return tuple(order[bounds[i] : bounds[i + 1]] for i in range(count))


def _words(target: Any) -> str:
    return " ".join(map(str, target)) if isinstance(target, tuple) else str(target)
