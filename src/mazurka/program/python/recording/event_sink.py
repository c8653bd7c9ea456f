"""The receiver of the events of quick hooks (quick.py): a protocol, since the recorder installs the hooks."""

from __future__ import annotations

from typing import Any, Protocol

from mazurka.marked_methods import InvocationObserver


class EventSink(Protocol):
    """Receives events."""

    buffer: list[Any]  # in the form of raw.py
    variable: set[Any]  # names of attributes that may be stored from now on
    of_classes: set[Any]  # names of attributes of classes that may be stored from now on
    left_out: set[Any]  # attributes of classes whose reads have not been recorded
    observer: InvocationObserver | None  # receives calls

    def give_way(self) -> None:
        """Let other threads go on, if this thread has had its time slice."""

    def about_to_store(self, n: int, name: Any) -> None:
        """Object ``n`` is about to get an attribute of a name that is not in ``variable``."""
