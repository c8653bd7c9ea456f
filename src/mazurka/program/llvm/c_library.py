"""The C library, as the machine uses it. :mod:`mazurka.program.llvm.library.registry` has the functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

#: A function of the library: called with the machine, the site of the call, and the arguments.
LibraryFunction = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class CLibrary:
    """``canonical`` gives the name by which ``function`` knows a function, or does not (None). ``stepping`` are the
    functions that are steps of their own, or may wait; ``points`` makes a function a cancellation point if it is one,
    in programs that refer to ``cancels``. ``names`` are those that translated functions use, for a machine."""

    canonical: Callable[[str], str]
    function: Callable[[str], LibraryFunction | None]
    stepping: frozenset[str]
    cancels: str
    points: Callable[[str, LibraryFunction], LibraryFunction]
    names: Callable[[Any], Mapping[str, Any]]
