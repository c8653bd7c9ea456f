"""The seam for executions in which the way of each thread through the program is known beforehand, from a recording."""

from __future__ import annotations

from typing import Any, Protocol

from mazurka.program.llvm.c_library import LibraryFunction


class KnownPaths(Protocol):
    """What is known of a program's threads. ``text`` is the program's LLVM IR."""

    text: str

    def number(self, function: str, block: str) -> int | None:
        """The number of a block, by names; None if threads that come there need not say so."""
        ...

    def begin(self, machine: Any) -> None:
        """An execution begins on this :class:`~mazurka.program.llvm.machine.Machine`, which knows of this seam."""
        ...

    def entered(self, number: int) -> None:
        """The running thread has come to a block: it goes on, or stays there for good, as one does whose assumption
        doesn't hold (library/verifier.py)."""
        ...

    def library_function(self, name: str, function: LibraryFunction) -> LibraryFunction:
        """A function of the library as threads are to call it: its results may be known, too."""
        ...
