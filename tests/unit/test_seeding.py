"""Generators of `random` that are seeded again only if they were used."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from mazurka.program.python.isolation.seeding import SeededGenerator

_SEED = 7

#: Uses of a generator. A state has 624 words, so 312 numbers of two words bring its index back to where it was.
_USES: dict[str, Callable[[random.Random], object]] = {
    "none": lambda generator: None,
    "one number": lambda generator: generator.random(),
    "all words": lambda generator: [generator.random() for _ in range(312)],
    "words twice": lambda generator: [generator.random() for _ in range(624)],
    "another seed": lambda generator: generator.seed(_SEED + 1),
    "another state": lambda generator: generator.setstate(random.Random(1).getstate()),
}


@pytest.mark.parametrize("use", _USES)
def test_it_starts_again_whatever_it_was_used_for(use: str) -> None:
    generator = random.Random(0)
    seeded = SeededGenerator(generator, _SEED)
    expected = random.Random(_SEED)
    for _ in range(3):
        seeded.restart()
        expected.seed(_SEED)
        assert generator.getstate()[1] == expected.getstate()[1]
        _USES[use](generator)
    seeded.restart()
    assert generator.getstate()[1] == random.Random(_SEED).getstate()[1]
