"""Indexes of columns of numbers, made with NumPy: which rows hold a number, and which targets several threads touch.

They are built from columns alone; the trace keeps them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.int32]


def order_by(column: NDArray[Any]) -> NDArray[Any]:
    """The rows of a column of numbers (from 0 on), sorted by number, and ascending for the same number.

    NumPy sorts numbers of 16 bits by counting, which takes a quarter of the time.
    """
    order = np.argsort(column.astype(np.uint16), kind="stable")
    if column.max(initial=0) < 1 << 16:
        return order
    return order[np.argsort((column >> 16).astype(np.uint16)[order], kind="stable")]


class Rows(Sequence[Numbers]):
    """An index: for each of ``count`` numbers the rows of a column that hold it, ascending.

    Those of number ``n`` are ``order[starts[n] : starts[n + 1]]``. Cost: one stable sort; 8 bytes per row.
    """

    def __init__(self, column: NDArray[Any], count: int) -> None:
        self.order = order_by(column).astype(np.int32)
        self.starts = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(column, minlength=count), out=self.starts[1:])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, number: int) -> Numbers: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Numbers]: ...
    def __getitem__(self, number: int | slice) -> Numbers | Sequence[Numbers]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        number %= len(self)
        return self.order[self.starts[number] : self.starts[number + 1]]


def of_several(thread: NDArray[Any], target: NDArray[Any], targets: int) -> NDArray[np.bool_]:
    """For each target, whether rows of more than one thread touch it."""
    one = np.zeros(targets, thread.dtype)  # of the threads that do
    one[target] = thread
    found = np.zeros(targets, np.bool_)
    found[target[thread != one[target]]] = True
    return found


def touched_by(op: ArrayLike, target: ArrayLike, ops: Iterable[int]) -> list[int]:
    """The numbers of the targets on which some of these operations are done, ascending."""
    touched: list[int] = np.unique(np.asarray(target)[np.isin(op, list(ops))]).tolist()
    return touched
