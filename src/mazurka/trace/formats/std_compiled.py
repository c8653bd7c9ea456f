"""STD at memory speed: compiled code for lines of the common kind, :mod:`mazurka.trace.formats.std_lines` for others.

The common kind is in ASCII, with a word of up to seven letters, and starts or joins no thread by its bare number.
Any other line, malformed ones included, is handed to :mod:`mazurka.trace.formats.std_lines`, which alone decides its
meaning; then compiled code goes on with the next line. So this reader detects no errors itself, and accepts no line
that the other would not.

Invariants: each line gives a row or an error, in order. Some thousand lines are split at a time; then each column's
names are interned in one go, while their spans are in the cache; then the lines that are not of the common kind are
read. Cost: one look at each byte and three look-ups in hash tables per line, some 50 ns; 5 microseconds for the others.
Threads that only occur as targets are numbered after the threads that act in the same lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.jit.compile import jit
from mazurka.trace.columns import Columns, Names, Parts
from mazurka.trace.event import Location
from mazurka.trace.formats.byte_names import SHORT, ByteNames, Spans, extended, finished
from mazurka.trace.formats.gathering import NO_SITE
from mazurka.trace.formats.line_reading import Malformed
from mazurka.trace.formats.source import TraceSource
from mazurka.trace.formats.std_lines import event_of_line
from mazurka.trace.formats.words import KINDS, OWN, WORDS
from mazurka.trace.locations import location_of
from mazurka.trace.targets import THREAD, Kind
from mazurka.trace.trace import NO_VALUE

#: Kinds of targets, numbered from 1 for the tables.
_KINDS: Final = ["", Kind.NOTHING.tag, *sorted(set(KINDS.values()) - {Kind.NOTHING.tag})]

#: The number of lines that are split before their names are interned.
_LINES: Final = 1 << 13

_THREAD: Final = _KINDS.index(THREAD)

#: The words that are short enough to be their own keys, the most frequent first.
_COMMON: Final = [word for word in WORDS if len(word) <= SHORT]

#: The shortest line, in bytes: `T|end|` and a line feed.
_SHORTEST: Final = 7

_LETTERS, _T, _ZERO, _NINE = ord("A"), ord("T"), ord("0"), ord("9")
_BAR, _OPEN, _CLOSE, _FEED, _RETURN = ord("|"), ord("("), ord(")"), ord("\n"), ord("\r")


class _StdWords(NamedTuple):
    """The common words as keys, their operations, the kinds of their targets, and whether the target is their own
    thread."""

    keys: Any
    ops: Any
    kinds: Any
    own: Any


def _words() -> _StdWords:
    ops = [WORDS[word] for word in _COMMON]
    return _StdWords(
        np.array([_word(np.frombuffer(f"{word}|".encode(), np.uint8), 0)[1] for word in _COMMON], np.uint64),
        np.array(ops, np.int8),
        np.array([_KINDS.index(KINDS[op]) for op in ops], np.int64),
        np.array([op in OWN for op in ops], np.bool_),
    )


class _StdTables:
    def __init__(self) -> None:
        self.threads: ByteNames[str] = ByteNames(lambda _, name: name)
        self.targets: ByteNames[tuple[str, str]] = ByteNames(lambda kind, name: (_KINDS[kind], name), 1 << 16)
        self.locations: ByteNames[Location] = ByteNames(lambda _, text: location_of(text), 1 << 14)
        self.names = Names(self.threads, self.targets, (), self.locations)

    def threads_among(self, known: int) -> None:
        """Number the threads that are targets; the first ``known`` targets are numbered already."""
        for number in np.flatnonzero(self.targets.slots.kinds[known : len(self.targets)] == _THREAD).tolist():
            self.threads.number(1, self.targets[known + number][1])


class _Lines:
    """Some lines that have been split: the spans of the names in each column, and the lines that remain to be read."""

    def __init__(self) -> None:
        self.threads, self.targets, self.sites = Spans(_LINES), Spans(_LINES), Spans(_LINES)
        # Kinds of names; those of threads are 1, of locations 0.
        self.kinds = np.empty(_LINES, np.uint8)
        self.ones, self.zeros = np.ones(_LINES, np.uint8), np.zeros(_LINES, np.uint8)
        self.odd = np.empty(_LINES, np.int64)
        self.words = _words()

    def split(self, data: NDArray[np.uint8], at: int, out: Columns) -> tuple[int, int]:
        """Splits lines from byte ``at``, as many as fit; returns the byte after the last, and their number."""
        spans = (*self.threads.arrays, *self.targets.arrays, *self.sites.arrays)
        at, lines = _split(data, at, min(_LINES, out.rows), *spans, self.kinds, self.odd, out.op, self.words)
        return int(at), int(lines)


def read(source: TraceSource) -> Parts:
    """As ``std.read`` does, by compiled code: worth it above ``std.SMALL`` bytes."""
    tables = _StdTables()
    return Parts(tables.names, _rows(source, tables))


def _rows(source: TraceSource, tables: _StdTables) -> Iterator[Columns]:
    first, lines = 1, _Lines()
    for block in source.blocks():
        data = np.frombuffer(block, np.uint8)
        columns = _columns(len(block) // _SHORTEST + 1)
        at = row = 0
        while at < len(block):
            out = columns.select(slice(row, row + _LINES))
            known = len(tables.targets)
            at, count = lines.split(data, at, out)
            tables.threads.column(data, lines.threads, lines.ones, 0, count, out.thread)
            tables.targets.column(data, lines.targets, lines.kinds, 0, count, out.target)
            tables.locations.column(data, lines.sites, lines.zeros, 0, count, out.site)
            for line in np.flatnonzero(lines.odd[:count] >= 0).tolist():
                _read_odd(source, block, first, int(lines.odd[line]), tables, out, line)
            tables.threads_among(known)
            row += count
        first += block.count(b"\n")
        yield columns.select(slice(0, row))._replace(value=np.full(row, NO_VALUE, np.int32))


def _columns(rows: int) -> Columns:
    """Room for ``rows`` rows; pages that are not written to take no memory. The column of values is added at the
    end."""
    thread, target, site = (np.empty(rows, np.int32) for _ in range(3))
    return Columns(thread, np.empty(rows, np.int8), target, np.empty(0, np.int32), site)


def _read_odd(
    source: TraceSource, block: bytes, first: int, start: int, tables: _StdTables, columns: Columns, row: int
) -> None:
    """A line that is not of the common kind, from a byte of the block, the first line of which is number ``first``."""
    end = block.find(b"\n", start) + 1 or len(block)
    try:
        text = block[start:end].decode().removesuffix("\n").removesuffix("\r")
        thread, op, (kind, name), location, _ = event_of_line(text)
    except Malformed as error:
        number = first + block.count(b"\n", 0, start)
        raise source.malformed(number, error.column, error.message) from None
    except UnicodeDecodeError:
        source.text(block[start:end], first + block.count(b"\n", 0, start))
        raise
    columns.thread[row] = tables.threads.number(1, thread)
    columns.op[row] = op
    columns.target[row] = tables.targets.number(_KINDS.index(kind), name)
    columns.site[row] = tables.locations.number(0, location) if location else NO_SITE


@jit
def _split(
    data, at, most, threads, threads_end, thread_keys, targets, targets_end, target_keys, sites, sites_end, site_keys,
    kinds, odd, ops, words,
):  # fmt: skip
    """Splits lines from byte ``at``; returns the byte after the last, and their number. ``odd`` has the byte at which a
    line that is not of the common kind starts, -1 for others; such a line has no names. One function, as calls that
    pass arrays are slow."""
    size = len(data)
    for row in range(most):
        if at >= size:
            return at, row
        feed = -1
        while feed < 0:  # once: an odd line leaves it early
            bar, thread_key = _name(data, at, _BAR, 33)
            if bar == at or bar >= size:
                break
            mark, key = _word(data, bar + 1)
            which = _which(words.keys, key)
            if which < 0 or mark >= size:
                break
            kind = words.kinds[which]
            start = close = after = mark
            key = np.uint64(0)
            if data[mark] == _OPEN:
                start = mark + 1
                close, key = _name(data, start, _CLOSE, 33)
                after = close + 1
            own = words.own[which]
            if (close == start and (start != mark or not (own or kind == 1))) or after >= size or data[after] != _BAR:
                break
            if own:
                start, close, key = at, bar, thread_key
            elif kind == _THREAD and _is_number(data[start]) and data[at] == _T:
                break
            end, site_key = _name(data, after + 1, _FEED, 32)
            last = end + 1 if end < size and data[end] == _RETURN else end
            if last >= size or data[last] != _FEED:
                break
            threads[row], threads_end[row], thread_keys[row] = at, bar, finished(thread_key, bar - at, 1)
            targets[row], targets_end[row], target_keys[row] = start, close, finished(key, close - start, kind)
            sites[row], sites_end[row], site_keys[row] = after + 1, end, finished(site_key, end - after - 1, 0)
            kinds[row] = kind
            ops[row] = words.ops[which]
            feed = last
        odd[row] = -1
        if feed < 0:
            odd[row] = at
            thread_keys[row] = target_keys[row] = site_keys[row] = 0
            feed = at
            while feed < size and data[feed] != _FEED:
                feed += 1
        at = feed + 1
    return at, most


@jit
def _name(data, at, stop, lowest):
    """The byte after the name that starts at ``at``, and its key; ``at`` itself if the name is not of the common
    kind."""
    key = np.uint64(0)
    end = at
    while end < len(data):
        byte = data[end]
        if byte == stop or (byte == _RETURN and stop == _FEED):
            if stop != _CLOSE or (end + 1 < len(data) and data[end + 1] == _BAR):  # else a bracket within the name
                return end, key
        if byte < lowest or byte >= 127 or byte == _BAR:
            return at, key
        key = extended(key, end - at, byte)
        end += 1
    return end, key


@jit
def _word(data, at):
    """The byte at which a word ends, at a bracket or bar, and its key; key 0 if it is too long to be common, or has
    bytes below the letters: a NUL would not show in a key."""
    key = np.uint64(0)
    end = at
    while end < len(data) and data[end] != _OPEN and data[end] != _BAR:
        if data[end] < _LETTERS or end - at >= SHORT:
            return at, np.uint64(0)
        key = extended(key, end - at, data[end])
        end += 1
    return end, key


@jit
def _is_number(byte):
    """Whether a name that starts with this byte may be a number."""
    return _ZERO <= byte <= _NINE


@jit
def _which(keys, key):
    for at in range(len(keys)):
        if keys[at] == key:
            return at
    return -1
