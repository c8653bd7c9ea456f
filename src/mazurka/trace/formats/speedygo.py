"""SpeedyGo's logs: ``thread,operation,object,file:line,signal``, one event a line, as ``traceReplay`` there reads them.

``RD WR`` access variables, ``ARD AWR`` atomic ones: the latter are RMWs of an object apart, so that they stay in order
and none is a data race. ``LK UK`` acquire and release locks, ``PREBRANCH`` is a branch, ``POSTBRANCH`` its end, a nop.

``SIG`` comes before the ``WT`` of the same signal (the last field), likewise ``SIGNALJOIN`` and ``WAITJOIN``, ``NT``
and ``NTWT``, ``SIGNALNOTIFY`` and ``WAITNOTIFY``. Their meaning shows only in the whole log:

- a wait that is the first event of its thread, for a signal given once, before, by another: FORK and BEGIN;
- a signal that is the last event of its thread, and is waited for afterwards, by others: END and JOIN;
- all others are RMWs of the signal, which stay in order.

The last field of other events is not looked at. The log is held in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

import numpy as np

from mazurka.trace.columns import Columns, Names, Parts, joined
from mazurka.trace.event import Op
from mazurka.trace.formats.gathering import Interning
from mazurka.trace.formats.line_reading import Malformed, ParsedEvent, read_lines
from mazurka.trace.formats.line_writing import Losses, Piece, cannot_carry, write_lines
from mazurka.trace.formats.source import TraceSource
from mazurka.trace.locations import text_of
from mazurka.trace.targets import ATOMIC, LOCK, THREAD, VARIABLE, Kind, kind_of
from mazurka.trace.trace import NO_VALUE, NOTHING

_OPS: Final = {
    "RD": (Op.READ, VARIABLE),
    "WR": (Op.WRITE, VARIABLE),
    "ARD": (Op.RMW, ATOMIC),
    "AWR": (Op.RMW, ATOMIC),
    "LK": (Op.ACQUIRE, LOCK),
    "UK": (Op.RELEASE, LOCK),
    "PREBRANCH": (Op.BRANCH, Kind.NOTHING.tag),
    "POSTBRANCH": (Op.NOP, Kind.NOTHING.tag),
}
_SIGNALS: Final = frozenset({"SIG", "SIGNALJOIN", "SIGNALNOTIFY", "NT"})
_WAITS: Final = frozenset({"WT", "WAITJOIN", "WAITNOTIFY", "NTWT"})
_CONTROL: Final = re.compile(r"[\0-\x1f\x7f]")

#: The operations of signals and waits until the whole log is known.
_SIGNAL, _WAIT = Op.NOTIFY, Op.WAIT


def read(source: TraceSource) -> Parts:
    """See ``Module.read``."""
    parts = read_lines(source, lambda line: (_event(line),))
    targets: Interning[tuple[str, str]] = Interning()
    names = Names(parts.names.threads, targets.names, (), parts.names.locations)
    return Parts(names, _resolved(parts, targets))


def _event(line: str) -> ParsedEvent:
    if control := _CONTROL.search(line):
        raise Malformed(control.start() + 1, f"a control character, {control.group()!r}")
    fields = line.split(",")
    if len(fields) != 5:
        raise Malformed(len(line) + 1, f"{len(fields)} fields instead of five")
    thread, word, touched, location, signal = fields
    if not thread:
        raise Malformed(1, "no thread name")
    location = "" if location == "nil" else location
    if word in _SIGNALS | _WAITS:
        if not signal:
            raise Malformed(len(line) + 1, f"{word} needs a signal")
        return ParsedEvent(thread, _SIGNAL if word in _SIGNALS else _WAIT, (Kind.SIGNAL.tag, signal), location)
    if word not in _OPS:
        raise Malformed(len(thread) + 2, f"no operation is called {word}")
    op, kind = _OPS[word]
    if kind == Kind.NOTHING.tag:
        return ParsedEvent(thread, op, NOTHING, location)
    if not touched:
        raise Malformed(len(thread) + len(word) + 3, f"{word} needs a target")
    return ParsedEvent(thread, op, (kind, touched), location)


def _resolved(parts: Parts, targets: Interning[tuple[str, str]]) -> Iterator[Columns]:
    """The log as one part, with the meaning of its signals."""
    rows = joined(parts.rows)
    named = list(parts.names.targets)
    threads = parts.names.threads
    meant = _meanings(rows)
    op, target = rows.op.copy(), rows.target.copy()
    known = np.array([targets[name] if kind_of(name) is not Kind.SIGNAL else -1 for name in named], np.int32)
    target = known[target] if len(named) else target
    for row in np.flatnonzero(np.isin(rows.op, (_SIGNAL, _WAIT))).tolist():
        op[row], of_thread = meant.get(row, (Op.RMW, None))
        target[row] = targets[named[rows.target[row]] if of_thread is None else (THREAD, threads[of_thread])]
    yield rows._replace(op=op, target=target)


def _meanings(rows: Columns) -> dict[int, tuple[Op, int]]:
    """For each row that starts, begins, ends or joins a thread: which of these operations, and the thread's number."""
    thread = rows.thread.tolist()
    first = {number: row for row, number in reversed(list(enumerate(thread)))}
    last = {number: row for row, number in enumerate(thread)}
    signals: dict[int, list[int]] = {}
    waits: dict[int, list[int]] = {}
    for row in np.flatnonzero(np.isin(rows.op, (_SIGNAL, _WAIT))).tolist():
        found = signals if rows.op[row] == _SIGNAL else waits
        found.setdefault(int(rows.target[row]), []).append(row)
    meant: dict[int, tuple[Op, int]] = {}
    for signal, given in signals.items():
        waiting = waits.get(signal, [])
        if len(given) != 1 or not waiting or given[0] > waiting[0]:
            continue
        giver, takers = thread[given[0]], [thread[row] for row in waiting]
        if giver in takers:
            continue
        if len(waiting) == 1 and first[takers[0]] == waiting[0]:
            meant[given[0]] = Op.FORK, takers[0]
            meant[waiting[0]] = Op.BEGIN, takers[0]
        elif last[giver] == given[0]:
            meant[given[0]] = Op.END, giver
            meant.update((row, (Op.JOIN, giver)) for row in waiting)
    return meant


_WORD_OF: Final = {
    Op.READ: "RD",
    Op.WRITE: "WR",
    Op.ACQUIRE: "LK",
    Op.RELEASE: "UK",
    Op.FORK: "SIG",
    Op.END: "SIG",
    Op.BEGIN: "WT",
    Op.JOIN: "WT",
    Op.BRANCH: "PREBRANCH",
    Op.NOP: "POSTBRANCH",
}
_KINDS: Final = {
    **dict.fromkeys((Op.READ, Op.WRITE), VARIABLE),
    **dict.fromkeys((Op.ACQUIRE, Op.RELEASE), LOCK),
    **dict.fromkeys((Op.FORK, Op.END, Op.BEGIN, Op.JOIN), THREAD),
    **dict.fromkeys((Op.BRANCH, Op.NOP), Kind.NOTHING.tag),
}


def write(parts: Parts, out: BinaryIO) -> list[str]:
    """Writes threads and objects as numbers. Signal ``2n`` starts thread ``n``, which ends with signal ``2n + 1``."""
    losses = Losses()
    losses.renames = True
    names = parts.names
    rows = _signalling(joined(parts.rows), names, losses)
    objects = {target: number for number, target in enumerate(names.targets)}
    threads = {name: number for number, name in enumerate(names.threads)}
    pieces = (
        Piece("thread", lambda name: f"{threads[name]},"),
        Piece("op", lambda op: f"{_WORD_OF.get(op, '')},"),
        Piece("target", lambda target: f"{objects[target]},"),
        Piece("site", lambda location: losses.escaped(text_of(location), " ", ",") + ",", missing="nil,"),
        Piece("value", lambda signal: f"{signal}\n", missing="0\n"),
    )
    numbers = [str(number) for number in range(2 * len(threads))]
    signalling = Names(names.threads, names.targets, numbers, names.locations)
    has_values, losses.has_values = losses.has_values, False
    write_lines(Parts(signalling, iter([rows])), out, "speedygo", pieces, _KINDS, losses)
    losses.has_values = has_values
    return losses.listed("values")


def _signalling(rows: Columns, names: Names, losses: Losses) -> Columns:
    """The rows with signals as values. The BEGIN of a thread that no event starts, and the END of one that no event
    joins, are no signals, and left out. A thread that is started has to begin with its first event, and one that is
    joined to end with its last."""
    losses.has_values = bool((rows.value != NO_VALUE).any())
    numbers = {(THREAD, name): number for number, name in enumerate(names.threads)}
    thread_of = np.array([numbers.get(target, -1) for target in names.targets], np.int32)
    signal = np.full(rows.rows, NO_VALUE, np.int32)
    kept = np.ones(rows.rows, np.bool_)
    for asks, answers, offset, words in ((Op.FORK, Op.BEGIN, 0, "started"), (Op.JOIN, Op.END, 1, "joined")):
        asking, answering = rows.op == asks, rows.op == answers
        for row in np.flatnonzero(asking).tolist():
            own = np.flatnonzero(rows.thread == thread_of[rows.target[row]])
            answer = np.flatnonzero(answering & (rows.target == rows.target[row])).tolist()
            fits = answer == own[:1].tolist() and row < own[0] if asks == Op.FORK else answer == own[-1:].tolist()
            if len(own) and not fits:
                thread = names.targets[rows.target[row]][1]
                problem = f"{thread} {words}, but not with one {answers.name.lower()} where it should be"
                raise cannot_carry("speedygo", row, problem)
        dropped = answering & ~np.isin(rows.target, rows.target[asking])
        if dropped.any():
            losses.left_out[answers.name] += int(dropped.sum())
        kept &= ~dropped
        both = asking | answering
        signal[both] = 2 * thread_of[rows.target[both]] + offset
    return rows._replace(value=signal).select(kept)
