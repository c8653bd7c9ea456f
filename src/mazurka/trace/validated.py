"""Traces that predictions can rely upon: read from files, mended if wanted, refused if they contradict themselves.

If two threads hold a lock at once, or a thread releases one that it does not hold, the possible orders are unknown, and
the trace is refused. Other faults (a thread started twice, or going on after its end) are reported, and the events
taken as they are.

Cost: reading, and a pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mazurka.errors import MazurkaError, UsageError
from mazurka.trace.columns import columns_of, parts_of
from mazurka.trace.ending import completed, unended
from mazurka.trace.event import Op
from mazurka.trace.malformed import Fault, findings_of
from mazurka.trace.reading import read_trace
from mazurka.trace.repair import repaired
from mazurka.trace.thread_logs import read_thread_logs
from mazurka.trace.trace import Trace

if TYPE_CHECKING:
    from mazurka.trace.malformed import Findings

#: The largest number of threads for which predictors can keep, for each event, the events of each thread before it.
MOST_THREADS: Final = 1 << 13

#: The number of threads that a message names.
_NAMED: Final = 3

_FORBIDDING: Final = (Fault.TAKEN_WHILE_HELD, Fault.NOT_HELD)
_ODD: Final = (Fault.STARTED_TWICE, Fault.STARTED_LATE, Fault.AFTER_END, Fault.AFTER_JOIN)


def read_reliably(
    path: str,
    origin: str | None,
    repair: bool,
    tell: Callable[[str], None],
    complete: bool = False,
    merge: Callable[[Trace, str], tuple[Trace, Any]] | None = None,
) -> tuple[Trace, Any, tuple[str, ...]]:
    """A trace, the number in the file of each row's event (None: that of the row; negative: none), and the repairs that
    assume an order which the trace does not show. ``tell`` is called with each repair and each fault, in words.
    ``complete``: no thread goes on after its last event in the trace. ``merge``: these are per-thread logs, which this
    function puts into one order, given their name; it returns the trace, and the number of each row's event."""
    trace, numbers, assumed = _read(path, origin, repair, tell, merge)
    open_ = unended(trace) if complete or Op.WAIT in columns_of(trace).op else []
    if complete and open_:
        trace, rows = completed(trace, open_)
        return trace, rows if numbers is None else np.where(rows < 0, rows, np.append(numbers, rows)[rows]), assumed
    if open_:
        names = ", ".join(trace.threads[thread] for thread in open_[:_NAMED]) + (", ..." if open_[_NAMED:] else "")
        tell(f"threads may go on after the trace, and notify: {names} (no end, and no join); if not, say --complete")
    return trace, numbers, assumed


def _read(
    path: str,
    origin: str | None,
    repair: bool,
    tell: Callable[[str], None],
    merge: Callable[[Trace, str], tuple[Trace, Any]] | None,
) -> tuple[Trace, Any, tuple[str, ...]]:
    if merge is not None and repair:
        raise UsageError("trace-unordered", "per-thread logs are not repaired", hint="leave out --repair")
    trace = read_trace(path, origin) if merge is None else read_thread_logs(path, origin)
    if len(trace.threads) > MOST_THREADS:
        message = f"{len(trace.threads):,} threads; no more than {MOST_THREADS:,} can be analysed"
        raise MazurkaError("trace-too-large", message, where=path)
    if repair:
        done = repaired(trace)
        for mend in (*done.mends, *(f"left as it is: {each}" for each in done.left)):
            tell(str(mend))
        return done.trace, done.rows, tuple(map(str, done.assumed))
    numbers = None
    if merge is not None:
        trace, numbers = merge(trace, path)
    found = findings_of(parts_of(trace))
    for fault in _FORBIDDING:
        if found.counts[fault]:
            message = f"{_first(found, fault)}, so it is not known which other orders are possible"
            raise MazurkaError("trace-locks", message, where=path, hint="mend the trace with --repair")
    for fault in _ODD:
        if found.counts[fault]:
            tell(f"{_first(found, fault)}; see `mazurka trace check`")
    return trace, numbers, ()


def _first(found: Findings, fault: Fault) -> str:
    row = found.first[fault][0]
    return f"event {row} ({found.words[row]}) {fault.words}"
