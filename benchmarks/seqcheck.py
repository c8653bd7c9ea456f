"""How fast SeqCheck finds the races of whole traces, and how many: each racy event once, with its partner.

Generated traces of 8 to 64 threads, without strays, so that there is nothing to find, and with some accesses in a
million that ignore the locks: the cost is that of the pass, and of the questions. The rate is that of one thread of the
operating system, from columns to racing rows, once compiled; in brackets the rate by the time that it had a
processor. ``MILLIONS`` (default "1 20") says how many million events.

With ``TRACES=FOLDER``, the racy events, race pairs and race locations in that folder's RapidBin traces, repaired, and
the witnesses, all of which the checker has to believe.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.generated_traces import Shape, columns_of, numbers_of
from benchmarks.row import Row, Settings
from mazurka.predict.seqcheck.engine import SeqCheck
from mazurka.predict.seqcheck.races import SeqCheckRaces
from mazurka.predict.seqcheck.scan import EVENT, PAIR, PLACE
from mazurka.trace.reading import read_trace
from mazurka.trace.repair import repaired
from mazurka.trace.trace import Trace
from mazurka.witness import Checker, Races, Witness

_MILLION: Final = 1_000_000

#: Events a second, end to end.
_DEMANDED: Final = 2e6

_SHAPES: Final = ((8, 0.0), (16, 0.0), (64, 0.0), (16, 1e-6), (64, 1e-6), (16, 1e-5))

#: The most racy events that other sound tools find.
_KNOWN: Final = {"jigsaw": 97, "cache4j_dlf": 26, "Account": 3, "Deadlock": 1}


def measure(settings: Settings) -> Iterator[Row]:
    """See the module."""
    _timed(_generated(Shape(100_000, stray=0.001)))  # compiles
    for millions in os.environ.get("MILLIONS", "1 20").split():
        for threads, stray in _SHAPES:
            yield _rate(Shape(int(float(millions) * _MILLION), threads=threads, stray=stray))
    if "TRACES" in os.environ:
        for path in sorted(Path(os.environ["TRACES"]).glob("*.data")):
            yield from _real(path)


def _generated(shape: Shape) -> Trace:
    columns, numbers = columns_of(shape), numbers_of(shape)
    kinds = ["thread"] * shape.threads + ["lock"] * shape.locks + ["var"] * shape.variables
    names = [(kind, str(number)) for number, kind in enumerate(kinds)]
    size = len(columns.op)
    nothing = np.full(size, -1, np.int32)
    threads = [str(number) for number in range(numbers.threads)]
    return Trace(np.arange(size, dtype=np.int32), *columns, nothing, columns.target, threads, names, [])


def _timed(trace: Trace) -> tuple[float, float, int, SeqCheckRaces]:
    """Wall seconds, processor seconds, racy events."""
    began, worked = time.perf_counter(), time.process_time()
    predictor = SeqCheckRaces(each=EVENT)
    found = sum(1 for _ in predictor.races(SeqCheck(trace, complete_up_to=0)))
    return time.perf_counter() - began, time.process_time() - worked, found, predictor


def _rate(shape: Shape) -> Row:
    trace = _generated(shape)
    wall, work, found, predictor = _timed(trace)
    size = len(trace)
    return Row(
        f"{size / _MILLION:.0f} M events, {shape.threads} threads, strays {shape.stray:g}",
        f">= {_DEMANDED / _MILLION:g} M/s",
        f"{size / wall / _MILLION:.2f} M/s",
        note=f"({size / work / _MILLION:.2f}) racy_events {found}, {predictor.asked} questions, "
        f"{predictor.undecided} undecided, {predictor.unasked} not asked to the end",
        holds=size / wall >= _DEMANDED,
    )


def _real(path: Path) -> Iterator[Row]:
    trace = repaired(read_trace(path)).trace
    counts = {}
    for each in (EVENT, PAIR, PLACE):
        predictor = SeqCheckRaces(each=each)
        counts[each] = len(list(predictor.races(SeqCheck(trace, complete_up_to=0))))
    began = time.perf_counter()
    predictor, checker = SeqCheckRaces(each=EVENT), Checker(trace)
    check = SeqCheck(trace)
    proven = (check.prove(Races(*rows)) for rows in predictor.races(check))
    refused = sum(bool(checker.objections(each)) for each in proven if isinstance(each, Witness))
    least = _KNOWN.get(path.stem)
    yield Row(
        f"{path.stem}: racy_events",
        "" if least is None else f">= {least}",
        str(counts[EVENT]),
        note=f"race_pairs {counts[PAIR]}, race_locations {counts[PLACE]}, {predictor.undecided} undecided, "
        f"{refused} witnesses refused, {time.perf_counter() - began:.1f} s",
        holds=None if least is None else counts[EVENT] >= least and not refused,
    )
