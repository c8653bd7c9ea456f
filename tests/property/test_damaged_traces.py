"""Readers of traces that are damaged give rows or an error about the file, never anything else.

The suite reads the corpus and some damaged inputs of each format; ``make fuzz`` goes on for a given time.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import settings
from tests.fuzz import traces as fuzz

from mazurka.trace.formats.format import FORMATS

KINDS = [known.name for known in FORMATS]
CASES = [(path.parent.name, path) for path in sorted(fuzz.CORPUS.glob("*/*"))]


@pytest.mark.parametrize(("kind", "path"), CASES, ids=[f"{kind}-{path.name}" for kind, path in CASES])
def test_corpus(kind: str, path: Path, tmp_path: Path) -> None:
    assert list(fuzz.judge(path.read_bytes(), kind, tmp_path)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_damaged(kind: str, tmp_path: Path) -> None:
    rng, seeds = random.Random(kind), fuzz.seeds_of(kind)
    for _ in range((settings.default or settings()).max_examples // 4):
        data = fuzz.damaged(rng, seeds)
        assert list(fuzz.judge(data, kind, tmp_path)) == [], data
