"""How fast traces are read and written, in each format, on one core, and whether formats agree on real traces.

A generated trace of 4 million events (16 threads, 100 locks, 100,000 variables, 3,000 locations) is written in every
format and read back; times are processor time, compiled code warm. STD also with a million variables, with names and
locations as long as Java's, and with starts and joins of threads in every tenth line. RapidBin originals of real
traces and their STD texts, where ``../shared/traces`` has them, have to contain the same events, except for requests,
which the tool that made the texts leaves out.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.generated_traces import Shape, chunks_of, numbers_of
from benchmarks.row import ROOT, Row, Settings, middle
from mazurka.trace.columns import Columns, Names, Parts, columns_of
from mazurka.trace.event import Location, Op
from mazurka.trace.formats import std
from mazurka.trace.formats.format import named
from mazurka.trace.malformed import findings_of
from mazurka.trace.reading import opened, read_trace
from mazurka.trace.trace import NO_VALUE
from mazurka.trace.writing import write_trace

_DEMANDED: Final = 150  # megabytes of STD a second
_LENGTH: Final = 4_000_000
_LOCATIONS: Final = 3_000
_REAL: Final = ROOT.parent / "shared" / "traces"
_KINDS: Final = ("std", "rapidbin", "parquet", "csv")


def measure(settings: Settings) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        yield from _formats(Path(folder), settings.repetitions)
        yield _std(
            "a million variables", _parts(Shape(_LENGTH, variables=1_000_000)), Path(folder), settings.repetitions
        )
        long = _parts(Shape(_LENGTH), "org.example.package.Class.field_{}", "Class.java:{}")
        yield _std("long names", long, Path(folder), settings.repetitions)
        yield _std(
            "every tenth line a start or join", _forking(_parts(Shape(_LENGTH))), Path(folder), settings.repetitions
        )
        yield _plain(Path(folder))
    yield from _agreement()


def _formats(folder: Path, repetitions: int) -> Iterator[Row]:
    yield _std("", _parts(Shape(_LENGTH)), folder, repetitions)
    for kind in _KINDS:
        path = folder / f"trace.{kind}"
        begun = time.process_time()
        write_trace(_parts(Shape(_LENGTH)), path, named(kind))
        written = time.process_time() - begun - _drawing()
        size = path.stat().st_size
        times = [_seconds(path, kind) for _ in range(1 if kind == "csv" else repetitions)]
        rate, spread = middle([_LENGTH / each / 1e6 for each in times], " M/s")
        note = f"written at {_LENGTH / written / 1e6:.2g} M/s; {size / _LENGTH:.1f} bytes an event"
        yield Row(f"events of {kind} read", "", rate, spread, note)
    begun = time.process_time()
    with opened(folder / "trace.rapidbin", "rapidbin") as (_, parts):
        held = list(parts.rows)
    begun = time.process_time()
    odd = findings_of(Parts(parts.names, iter(held))).is_odd
    rate = f"{_LENGTH / (time.process_time() - begun) / 1e6:.3g} M/s"
    yield Row("events checked for faults", "", rate, note="none found", holds=not odd)


def _std(variant: str, parts: Parts, folder: Path, repetitions: int) -> Row:
    path = folder / "timed.std"
    write_trace(parts, path, named("std"))
    _seconds(path, "std")
    size = path.stat().st_size
    rate, spread = middle([size / _seconds(path, "std") / 1e6 for _ in range(repetitions)], " MB/s")
    holds = float(rate.split()[0]) >= _DEMANDED
    title = f"STD read, {variant}" if variant else "STD read"
    return Row(title, f"{_DEMANDED} MB/s", rate, spread, f"{size / _LENGTH:.0f} bytes a line", holds)


def _plain(folder: Path) -> Row:
    """The reader that the compiled one is compared with, and to which it hands odd lines."""
    path = folder / "short.std"
    with (folder / "timed.std").open("rb") as file:
        path.write_bytes(file.read(std.SMALL).rpartition(b"\n")[0])
    _seconds(path, "std")
    rate = path.stat().st_size / _seconds(path, "std") / 1e6
    return Row("STD read, not compiled (small files)", "", f"{rate:.3g} MB/s")


def _seconds(path: Path, kind: str) -> float:
    begun = time.process_time()
    read_trace(path, kind)
    return time.process_time() - begun


def _drawing() -> float:
    begun = time.process_time()
    for _ in _parts(Shape(_LENGTH)).rows:
        pass
    return time.process_time() - begun


def _parts(shape: Shape, variable: str = "V{}", location: str = "{}") -> Parts:
    numbers = numbers_of(shape)
    targets = [("thread", f"T{number}") for number in range(shape.threads)]
    targets += [("lock", f"L{number}") for number in range(shape.locks)]
    targets += [("var", variable.format(number)) for number in range(shape.variables)]
    locations = [Location(location.format(number), 0) for number in range(_LOCATIONS)]
    names = Names([f"T{number}" for number in range(numbers.threads)], targets, (), locations)
    return Parts(names, _columns(shape))


def _columns(shape: Shape) -> Iterator[Columns]:
    rng = np.random.default_rng(1)
    for chunk in chunks_of(shape, 1 << 20):
        size = len(chunk.op)
        sites = rng.integers(0, _LOCATIONS, size, np.int32)
        yield Columns(chunk.thread, chunk.op, chunk.target, np.full(size, NO_VALUE, np.int32), sites)


def _forking(parts: Parts) -> Parts:
    return Parts(parts.names, map(_with_forks, parts.rows))


def _with_forks(columns: Columns) -> Columns:
    """Every tenth event forks or joins a thread."""
    op, target = columns.op.copy(), columns.target.copy()
    rng = np.random.default_rng(1)
    op[::10] = rng.choice(np.array([Op.FORK, Op.JOIN], np.int8), len(op[::10]))
    target[::10] = columns.thread[rng.permutation(len(op))[: len(op[::10])]]
    return columns._replace(op=op, target=target)


def _agreement() -> Iterator[Row]:
    for text in sorted(_REAL.glob("*.std")):
        trace, binary = read_trace(text), read_trace(text.with_suffix(".data"))
        kept = np.flatnonzero(columns_of(binary).op != Op.REQUEST).tolist()
        decoded = [(event.thread, event.op, event.target, event.location) for event in binary.events()]
        same = [decoded[row] for row in kept] == [
            (event.thread, event.op, event.target, event.location) for event in trace.events()
        ]
        yield Row(f"{text.stem}: binary and text", "the same", "the same" if same else "different", holds=same)
