"""The receiver of the events of quick hooks (quick.py): a protocol, since the recorder installs the hooks."""

from __future__ import annotations

from typing import Any, Protocol

from mazurka.marked_methods import InvocationObserver


class EventSink(Protocol):
    """Takes events down."""

    buffer: list[Any]  # as raw.py has it
    variable: set[Any]  # names of attributes that may be stored from now on
    of_classes: set[Any]  # the same in classes
    left_out: set[Any]  # those of which reads have not been recorded
    observer: InvocationObserver | None  # hears of calls

    def give_way(self) -> None:
        """Let other threads go on, if it is time."""

    def about_to_store(self, n: int, name: Any) -> None:
        """Object ``n`` is about to get an attribute of a name that is not in ``variable``."""
