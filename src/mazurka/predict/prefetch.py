"""Iterators that run in threads of their own, a limited number of items ahead of their consumer, and their shared data.

This pays if iterating is mostly compiled code, which runs without Python's lock. Cost: some ten microseconds an item.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from threading import Lock
from typing import Final, Generic, Protocol, Self, TypeVar

T = TypeVar("T")


class Divisible(Protocol):
    """An object that only one thread at a time may use."""

    def beside(self) -> Self:
        """A clone that shares the costly data and can be used at the same time."""
        ...


D = TypeVar("D", bound=Divisible)

#: The largest number of items that are made ahead.
_ITEMS: Final = 16


class Shared(Generic[D]):
    """Data that the thread that needs it first makes for all."""

    def __init__(self, make: Callable[[], D]) -> None:
        self._make, self._making = make, Lock()
        self._made: D | None = None

    def own(self) -> D:
        """A clone that no other thread uses."""
        with self._making:
            self._made = self._made or self._make()
            return self._made.beside()


class Prefetch(Generic[T]):
    """The items of an iterator, made in a thread of their own. Leaving it as a context stops the thread after the
    present item."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self._thread = ThreadPoolExecutor(1)
        self._going = deque(self._thread.submit(self._make) for _ in range(_ITEMS))

    def _make(self) -> list[T]:
        """The next item in a list, or an empty list at the end."""
        return list(islice(self._items, 1))

    @property
    def next(self) -> Future[list[T]]:
        """The next item, left in place; None at the end."""
        return self._going[0]

    def take(self) -> list[T]:
        """The next item, taken."""
        item = self._going.popleft().result()
        self._going.append(self._thread.submit(self._make))
        return item

    def __iter__(self) -> Iterator[T]:
        while item := self.take():
            yield from item

    def __enter__(self) -> Prefetch[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown(cancel_futures=True)


def as_they_come(several: Iterable[Prefetch[T]]) -> Iterator[T]:
    """The items of all iterators as they are made; those of each in its order."""
    going = {each.next: each for each in several}
    while going:
        for ready in wait(going, return_when=FIRST_COMPLETED).done:
            each = going.pop(ready)
            if item := each.take():
                going[each.next] = each
                yield from item
