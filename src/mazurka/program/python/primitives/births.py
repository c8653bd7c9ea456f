"""Hashes of threads and futures: those of their births, not of their addresses, so that sets of them have the same
order in every run.

Cost: a microsecond for each hash.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

from mazurka.program.python.primitives.run import here


def note_birth(thing: Any) -> None:
    """Number an object that has been made, like all that a run makes."""
    if (models := here()) is not None:
        thing.__dict__["_mz_birth"] = models.number()


def hash_of_birth(self: Any) -> int:
    """In place of ``__hash__``; that of an object from before the run is as it was."""
    birth: str | None = self.__dict__.get("_mz_birth")
    return object.__hash__(self) if birth is None else crc32(birth.encode())
