"""Logs of which each has the events of some threads, in no order with those of the others.

A folder of such logs (files of any format, read in the order of their names) becomes one trace in which only the order
of each thread's events has a meaning. So does any single trace of which only that is known. A thread's events are all
in one file: with several, their order would be unknown.

Cost: that of reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from mazurka.errors import MazurkaError
from mazurka.trace.columns import Columns, columns_of, joined
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.formats.format import format_of, named
from mazurka.trace.formats.source import TraceSource
from mazurka.trace.reading import read_trace
from mazurka.trace.trace import Table, Trace

_PARTS: Final = "000000.parquet"

#: Sets of operations that need no numbers: plain accesses, and those of one kind of synchronisation.
_PLAIN: Final = (
    {Op.READ, Op.WRITE},
    {Op.ACQUIRE, Op.RELEASE},
    {Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL},
    {Op.FORK, Op.JOIN, Op.BEGIN, Op.END},
)
_WRITING: Final = np.array(WRITES)
_TOUCHING: Final = np.array(READS) | _WRITING


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


def logs_of_threads(trace: Trace) -> Iterator[tuple[str, Trace]]:
    """The log of each thread that has events, by its name, as a recorder writes it that keeps one for each thread.

    Operations that read and write at once, and all others of their targets, have the number of the update in place of a
    value (``#1``, ``#2``, ...): a recorder can count them where they take place.
    """
    op = np.asarray(trace.op)
    value = np.array(trace.value, np.int32)
    values = Table()
    for name in trace.values:
        values.number(name)
    for rows_of_one in trace.rows_of_target:
        rows = np.asarray(rows_of_one)
        rows = rows[_TOUCHING[op[rows]]]
        if _has_updates({Op(each) for each in np.unique(op[rows]).tolist()}):
            value[rows] = [values.number(f"#{count}") for count in np.cumsum(_WRITING[op[rows]]).tolist()]
    columns = columns_of(trace)._replace(value=value)
    for number, own_rows in enumerate(trace.rows_of_thread):
        if len(own_rows):
            own = columns.select(np.asarray(own_rows))
            step = np.arange(own.rows, dtype=np.int32)
            yield trace.threads[number], Trace(step, *own, trace.threads, trace.targets, values.names, trace.locations)


def _has_updates(ops: set[Op]) -> bool:
    """Whether operations on a target are no plain reads and writes, nor all of one kind of synchronisation."""
    return not any(ops <= plain for plain in _PLAIN)
