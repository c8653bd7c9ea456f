"""Rows gathered one by one, into parts, for the readers of text formats."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

import numpy as np

from mazurka.errors import MazurkaError
from mazurka.trace.columns import LARGEST, Columns, Names
from mazurka.trace.event import Op
from mazurka.trace.locations import location_of
from mazurka.trace.targets import Kind, kind_of
from mazurka.trace.trace import NO_VALUE

#: In the column of sites: no location known.
NO_SITE: Final = -1

#: The number of rows of a part.
PART: Final = 1 << 17

_Key = TypeVar("_Key", bound=Hashable)


class Interning(dict[_Key, int]):
    """Gives each new key the next number; ``names`` holds, by number, the names that ``made`` makes of the keys."""

    def __init__(self, made: Callable[[_Key], Any] = lambda key: key) -> None:
        super().__init__()
        self.names: list[Any] = []
        self._made = made

    def __missing__(self, key: _Key) -> int:
        number = self[key] = len(self.names)
        if number > LARGEST:
            raise too_many("names")
        self.names.append(self._made(key))
        return number


class RowCollector:
    """The rows gathered so far; threads, targets, values and locations are given by name."""

    def __init__(self) -> None:
        self.threads: Interning[str] = Interning()
        self.targets: Interning[tuple[str, str]] = Interning()
        self.values: Interning[str] = Interning()
        self.locations: Interning[str] = Interning(location_of)
        self.names = Names(self.threads.names, self.targets.names, self.values.names, self.locations.names)
        self._thread, self._op, self._target = array("i"), array("b"), array("i")
        self._value, self._site = array("i"), array("i")

    @property
    def is_full(self) -> bool:
        """Whether the rows gathered make up a part."""
        return len(self._op) >= PART

    def event(
        self, thread: str, op: Op, target: tuple[str, str], location: str | None, value: str | None = None
    ) -> None:
        """Add a row."""
        self._thread.append(self.threads[thread])
        self._op.append(op)
        self._target.append(self.targets[target])
        self._value.append(NO_VALUE if value is None else self.values[value])
        self._site.append(NO_SITE if not location else self.locations[location])
        if kind_of(target) is Kind.THREAD:
            self.threads[target[1]]

    def taken(self) -> Columns:
        """The rows gathered since the last call."""
        columns = [np.array(column) for column in (self._thread, self._op, self._target, self._value, self._site)]
        self._thread, self._op, self._target = array("i"), array("b"), array("i")
        self._value, self._site = array("i"), array("i")
        return Columns(*columns)


def too_many(things: str) -> MazurkaError:
    """The error ``trace-too-large``."""
    return MazurkaError("trace-too-large", f"more than {LARGEST:,} {things}: they can't be numbered")
