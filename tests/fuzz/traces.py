"""Feeds damaged traces to a reader for as long as it is told to, and says what it should not have done.

    PYTHONPATH=src python -m tests.fuzz.traces std --minutes 10        one format
    PYTHONPATH=src python -m tests.fuzz.traces                         each for a minute

Whatever the bytes, a reader gives rows whose numbers all have names, or a MazurkaError about the file; the same
whatever the size of the blocks it reads in; STD the same by both of its readers; and what it gave, written in its own
format (if that loses nothing) and in Parquet, reads the same. Inputs are made from ``tests/fuzz/corpus``, a folder per
format, by a few small damages each. One that shows a fault is kept in ``.fuzz/``; with the fault mended, it belongs
into the corpus, which the suite reads. The input at hand is always in ``.fuzz/present-FORMAT``, should a reader crash.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mazurka.errors import MazurkaError
from mazurka.trace.columns import columns_of, parts_of
from mazurka.trace.formats import source, std
from mazurka.trace.formats.format import FORMATS, named
from mazurka.trace.reading import read_trace
from mazurka.trace.trace import Trace
from mazurka.trace.writing import write_trace

CORPUS: Final = Path(__file__).parent / "corpus"

_ABOUT_THE_FILE: Final = frozenset({"trace-malformed", "trace-truncated", "trace-version", "trace-too-large"})
_TOKENS: Final = (
    *b'| ( ) , " \n \r\n \r \0 \xff %20 0 -1 T0 fork(1) |branch| begin SIG \x1f\x8b PAR1'.split(b" "),
    *(b" ", b"@  ", "ä".encode(), b"x" * 9, b"99999999999999999999", b"Read 1 x 0"),
)

#: What a trace tells, event by event, or why it can't be read.
Outcome = tuple[tuple[object, ...], ...] | str


def judge(data: bytes, kind: str, folder: Path) -> Iterator[str]:
    """Everything that reading these bytes does wrong."""
    path = folder / f"present-{kind}"
    path.write_bytes(data)
    first = _outcome(path, kind)
    with _set(source, "BLOCK", 7):
        if len(data) < 5000 and _outcome(path, kind) != first:
            yield "it depends on the size of blocks"
    if kind == "std":
        with _set(std, "SMALL", -1):
            if _outcome(path, kind) != first:
                yield "compiled code reads it otherwise"
    if isinstance(first, str):
        return
    trace = read_trace(path, kind)
    yield from _numbers_without_names(trace)
    for other in (kind, "parquet"):
        again = folder / f"again-{kind}"
        try:
            lost = write_trace(parts_of(trace, rows=3), again, named(other))
        except MazurkaError as error:
            if error.slug != "trace-cannot-carry":
                yield f"can't be written as {other}: {error}"
            continue
        if not lost and _outcome(again, other) != first:
            yield f"written as {other}, it reads otherwise"


def _outcome(path: Path, kind: str) -> Outcome:
    try:
        trace = read_trace(path, kind)
    except MazurkaError as error:
        if error.slug not in _ABOUT_THE_FILE:
            raise
        return str(error)
    return tuple((event.thread, event.op, event.target, event.value, event.location) for event in trace.events())


def _numbers_without_names(trace: Trace) -> Iterator[str]:
    columns = columns_of(trace)
    sizes = (len(trace.threads), 20, len(trace.targets), len(trace.values), len(trace.locations))
    for name, column, size in zip(columns._fields, columns, sizes, strict=True):
        least = -1 if name in ("value", "site") else 0
        if len(column) != len(trace) or ((column < least) | (column >= size)).any():
            yield f"column {name} has numbers without names"


@contextmanager
def _set(module: object, name: str, value: int) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


# -- damages ----------------------------------------------------------------------------------------------------------


def damaged(rng: random.Random, seeds: list[bytes]) -> bytes:
    """One of the seeds after some damages."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        rng.choice(_DAMAGES)(rng, data, start, min(end, start + rng.choice((1, 4, 30, 1000))), seeds)
    return bytes(data)


def _flip(rng: random.Random, data: bytearray, start: int, _end: int, _seeds: list[bytes]) -> None:
    if start < len(data):
        data[start] ^= 1 << rng.randrange(8)


def _insert(rng: random.Random, data: bytearray, start: int, _end: int, _seeds: list[bytes]) -> None:
    data[start:start] = rng.choice(_TOKENS)


def _replace(rng: random.Random, data: bytearray, start: int, end: int, _seeds: list[bytes]) -> None:
    data[start:end] = rng.choice(_TOKENS)


def _delete(_rng: random.Random, data: bytearray, start: int, end: int, _seeds: list[bytes]) -> None:
    del data[start:end]


def _repeat(rng: random.Random, data: bytearray, start: int, end: int, _seeds: list[bytes]) -> None:
    data[end:end] = data[start:end] * rng.choice((1, 2, 20))


def _cut(_rng: random.Random, data: bytearray, start: int, _end: int, _seeds: list[bytes]) -> None:
    del data[start:]


def _splice(rng: random.Random, data: bytearray, start: int, end: int, seeds: list[bytes]) -> None:
    other = rng.choice(seeds)
    at = rng.randrange(len(other) + 1)
    data[start:end] = other[at : at + rng.choice((4, 30, 1000))]


_DAMAGES: Final[tuple[Callable[[random.Random, bytearray, int, int, list[bytes]], None], ...]] = (
    _flip,
    _insert,
    _replace,
    _delete,
    _repeat,
    _cut,
    _splice,
)


def seeds_of(kind: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((CORPUS / kind).iterdir())]


# -- for as long as told ----------------------------------------------------------------------------------------------


def main() -> int:
    names = [known.name for known in FORMATS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=f"which readers: {', '.join(names)}")
    parser.add_argument("--minutes", type=float, default=1.0, help="for each")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    folder = Path(".fuzz")
    folder.mkdir(exist_ok=True)
    faults = [fault for kind in given.formats or names for fault in _fuzz(kind, given.minutes, given.seed, folder)]
    return 1 if faults else 0


def _fuzz(kind: str, minutes: float, seed: int, folder: Path) -> list[str]:
    rng, seeds, faults = random.Random(seed), seeds_of(kind), Counter[str]()
    end, inputs, readable = time.monotonic() + 60 * minutes, 0, 0
    while time.monotonic() < end:
        data = damaged(rng, seeds)
        inputs += 1
        try:
            wrong = list(judge(data, kind, folder))
            readable += not isinstance(_outcome(folder / f"present-{kind}", kind), str)
        except Exception as error:
            wrong = [f"{type(error).__name__} {error}"]
        for fault in wrong:
            if not faults[fault[:60]]:
                (folder / f"{kind}-{seed}-{inputs}").write_bytes(data)
                print(f"{kind}: {fault} ({folder}/{kind}-{seed}-{inputs})", flush=True)
            faults[fault[:60]] += 1
    print(f"{kind}: {minutes:g} minutes, {inputs:,} inputs, {readable:,} readable, {len(faults)} faults", flush=True)
    return list(faults)


if __name__ == "__main__":
    sys.exit(main())
