"""The number of bytes in a buffered reader, compared with the bytes that went into it and came out of it."""

from __future__ import annotations

import io
import random
from typing import Any

import pytest

from mazurka.program.python.outside.read_ahead import read_ahead


class Raw(io.RawIOBase):
    """Gives random bytes, some at a time, and counts them."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.left = 400
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = min(len(buffer), self.chance.randrange(9), self.left)
        buffer[:count] = bytes(self.chance.choice(b"ab\n") for _ in range(count))
        self.left -= count
        self.given += count
        return count


class Own(io.BufferedReader):
    """A subclass has more attributes behind those of CPython."""

    more = 1


@pytest.mark.parametrize("kind", [io.BufferedReader, Own])
@pytest.mark.parametrize("seed", range(50))
def test_it_is_the_difference_of_bytes_in_and_bytes_out(kind: type[io.BufferedReader], seed: int) -> None:
    chance = random.Random(seed)
    raw = Raw(chance)
    reader = kind(raw, chance.randrange(1, 20))
    taken = 0
    assert read_ahead(reader) == 0
    while raw.left:
        name = chance.choice(["read", "read1", "readline", "peek"])
        arguments = (chance.randrange(1, 6),) if name.startswith("read") and name != "readline" else ()
        data = getattr(reader, name)(*arguments) or b""
        taken += len(data) if name != "peek" else 0
        assert read_ahead(reader) == raw.given - taken


@pytest.mark.parametrize("thing", [io.BytesIO(b"ab"), io.BufferedWriter(io.BytesIO()), io.BufferedRandom(io.BytesIO())])
def test_it_is_not_known_of_other_objects(thing: Any) -> None:
    assert read_ahead(thing) is None
