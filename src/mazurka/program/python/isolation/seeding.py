"""Seeding a generator of ``random`` again, only if it has been used: a look costs a tenth of seeding.

CPython keeps the state of a generator (an index and 624 words) in the object, behind its header. This layout is tested
once, against ``getstate()``; where it is another, the generator is seeded each time.
"""

from __future__ import annotations

import _random
import ctypes
import random
import struct
import sys
from typing import Any, Final

_STATE: Final = struct.Struct("=i624I")

# The real seeding, whichever function stands in for `Random.seed`.
_seed: Final = _random.Random.seed


class SeededGenerator:
    """A generator with the seed that it is to have at the beginning of each run."""

    def __init__(self, generator: random.Random, seed: int) -> None:
        self._generator = generator
        self._seed = seed
        _seed(generator, seed)
        self._memory = _memory_of(generator)
        self._seeded: bytes | None = None if self._memory is None else self._memory.raw

    def restart(self) -> None:
        """Give it the state after seeding."""
        if self._memory is None or self._memory.raw != self._seeded:
            _seed(self._generator, self._seed)


def _memory_of(generator: random.Random) -> Any:
    """The bytes of a generator's state, if their place is known; or None."""
    if sys.implementation.name != "cpython" or type(generator).__basicsize__ < object.__basicsize__ + _STATE.size:
        return None
    memory = (ctypes.c_char * _STATE.size).from_address(id(generator) + object.__basicsize__)
    index, *words = _STATE.unpack(memory.raw)
    return memory if (*words, index) == generator.getstate()[1] else None
