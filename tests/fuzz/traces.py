"""Feeds damaged traces to a reader for a given time, and reports its faults.

    PYTHONPATH=src python -m tests.fuzz.traces std --minutes 10        one format, ten minutes of processor time
    PYTHONPATH=src python -m tests.fuzz.traces                         each for a minute

For any bytes, a reader gives rows whose numbers all have names, or a MazurkaError about the file; the same for any size
of the blocks that it reads; STD the same by both of its readers; and the rows, written in its own format (if that loses
nothing) and in Parquet, reads the same. Inputs are made from ``tests/fuzz/corpus``, a folder per format, by a few small
damages each. One that reads like none before it (another complaint, or more kinds of operations) is damaged further,
and ``--keep`` adds it to the corpus, which the suite reads. One that shows a fault is kept in ``.fuzz/``; with the
fault mended, it belongs into the corpus, too. The input at hand is always in ``.fuzz/present-FORMAT``, should a reader
crash.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mazurka.errors import MazurkaError
from mazurka.trace.columns import columns_of, parts_of
from mazurka.trace.event import Op
from mazurka.trace.formats import source, std
from mazurka.trace.formats.format import FORMATS, named
from mazurka.trace.reading import read_trace
from mazurka.trace.trace import Trace
from mazurka.trace.writing import write_trace

CORPUS: Final = Path(__file__).parent / "corpus"

_ABOUT_THE_FILE: Final = frozenset(
    {"trace-empty", "trace-malformed", "trace-truncated", "trace-version", "trace-too-large"}
)
_TOKENS: Final = (
    *b'| ( ) , " \n \r\n \r \0 \xff %20 0 -1 T0 fork(1) |branch| begin SIG \x1f\x8b PAR1'.split(b" "),
    *(b" ", b"@  ", "ä".encode(), b"x" * 9, b"99999999999999999999", b"Read 1 x 0"),
)

#: The events of a trace, or the reason why it can't be read.
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
    sizes = (len(trace.threads), len(Op), len(trace.targets), len(trace.values), len(trace.locations))
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


# -- for a given time ----------------------------------------------------------------------------------------------


def main() -> int:
    names = [known.name for known in FORMATS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=f"which readers: {', '.join(names)}")
    parser.add_argument("--minutes", type=float, default=1.0, help="of processor time, for each")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", action="store_true", help="add inputs to the corpus that read like none in it")
    given = parser.parse_args()
    if unknown := sorted(set(given.formats) - set(names)):
        parser.error(f"no format is called {unknown[0]}; there are {', '.join(names)}")
    folder = Path(".fuzz")
    folder.mkdir(exist_ok=True)
    fuzzers = [Fuzzer(kind, given.seed, folder, given.keep) for kind in given.formats or names]
    for fuzzer in fuzzers:
        fuzzer.run(given.minutes)
    return 1 if any(fuzzer.faults for fuzzer in fuzzers) else 0


class Fuzzer:
    """Feeds one reader, and reports faults as it finds them."""

    def __init__(self, kind: str, seed: int, folder: Path, keep: bool) -> None:
        self.kind, self.seed, self.folder, self.keep = kind, seed, folder, keep
        self.seeds = seeds_of(kind)
        self.faults = Counter[str]()
        self.manners = {self._manner(data) for data in self.seeds}

    def run(self, minutes: float) -> None:
        rng, end, inputs = random.Random(self.seed), time.process_time() + 60 * minutes, 0
        while time.process_time() < end:
            inputs += 1
            self._feed(damaged(rng, self.seeds), f"{self.kind}-{self.seed}-{inputs}")
        print(
            f"{self.kind}: {minutes:g} minutes, {inputs:,} inputs, {len(self.seeds)} of them damaged further, "
            f"{len(self.faults)} faults",
            flush=True,
        )

    def _feed(self, data: bytes, name: str) -> None:
        try:
            wrong = list(judge(data, self.kind, self.folder))
            self._learn(data, name)
        except Exception as error:
            wrong = [f"{type(error).__name__} {error}"]
        for fault in wrong:
            if not self.faults[fault[:60]]:
                (self.folder / name).write_bytes(data)
                print(f"{self.kind}: {fault} ({self.folder / name})", flush=True)
            self.faults[fault[:60]] += 1

    def _learn(self, data: bytes, name: str) -> None:
        """Damage it further, if none was read in the same manner."""
        manner = self._manner(data)
        if len(data) < 5000 and manner not in self.manners:
            self.manners.add(manner)
            self.seeds.append(data)
            if self.keep:
                (CORPUS / self.kind / name).write_bytes(data)

    def _manner(self, data: bytes) -> str:
        """The complaint by its first words, names left out; how many operations there are, if there is none."""
        path = self.folder / f"present-{self.kind}"
        path.write_bytes(data)
        outcome = _outcome(path, self.kind)
        if isinstance(outcome, str):
            words = re.sub(r"'.*'|\".*\"|\d+", "", outcome.replace(str(path), ""))
            return " ".join(re.findall(r"\w+", words)[:4])
        return f"{len({event[1] for event in outcome})} operations"


if __name__ == "__main__":
    sys.exit(main())
