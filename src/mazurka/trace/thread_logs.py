"""Logs of which each has the events of some threads, in no order with those of the others.

A folder of such logs (files of any format, read in the order of their names) becomes one trace in which only the order
of each thread's events has a meaning. So does any single trace of which only that is known. A thread's events are all
in one file: with several, their order would be unknown.

Cost: that of reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from mazurka.errors import MazurkaError
from mazurka.trace.columns import Columns, columns_of, joined
from mazurka.trace.formats.format import format_of, named
from mazurka.trace.formats.source import TraceSource
from mazurka.trace.reading import read_trace
from mazurka.trace.trace import Table, Trace

_PARTS: Final = "000000.parquet"


def read_thread_logs(path: str | Path, kind: str | None = None) -> Trace:
    """The events of a folder of logs, or of one trace."""
    path = Path(path)
    if not path.is_dir() or (path / _PARTS).exists() or kind == "rvpredict":
        return read_trace(path, kind)
    with TraceSource(path) as source:
        if kind is None and format_of(source) == named("rvpredict"):
            return read_trace(path)
    files = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
    if not files:
        raise MazurkaError("trace-empty", "it holds no logs", where=str(path), hint="were they written to their end?")
    logs = [read_trace(file, kind) for file in files]
    _hold_apart(logs, files)
    return _as_one(logs)


def _hold_apart(logs: Sequence[Trace], files: Sequence[Path]) -> None:
    seen: dict[str, Path] = {}
    for log, file in zip(logs, files, strict=True):
        for number in np.unique(log.thread).tolist():
            before = seen.setdefault(log.threads[number], file)
            if before is not file:
                message = f"thread {log.threads[number]} has events in {before.name}, too"
                raise MazurkaError(
                    "trace-unordered", message, where=str(file), hint="keep those of a thread in one log"
                )


def _as_one(logs: Sequence[Trace]) -> Trace:
    threads, targets, values, locations = Table(), Table(), Table(), Table()
    parts = []
    for log in logs:
        rows = columns_of(log)
        parts.append(
            Columns(
                _renumbered(rows.thread, threads, log.threads),
                rows.op,
                _renumbered(rows.target, targets, log.targets),
                _renumbered(rows.value, values, log.values),
                _renumbered(rows.site, locations, log.locations),
            )
        )
    rows = joined(parts)
    step = np.arange(rows.rows, dtype=np.int32)
    return Trace(step, *rows, tuple(threads.names), targets.names, values.names, tuple(locations.names))


def _renumbered(column: Any, table: Table, names: Iterable[Any]) -> Any:
    """A column whose numbers are those of names in the table; -1 stays."""
    return np.array([*map(table.number, names), -1], np.int32)[column]
