"""Writing formats of one event a line: a line consists of pieces, each the text for a number in one column.

The text for a number is made once, and lines are joined without a step of Python's per row: 0.2 microseconds a line. An
operation without a word in the format is an error that names the row. Only BEGIN, END and REQUEST are then left out and
counted: a trace proves the same without them (a thread begins with its first event, an acquire may have waited).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, BinaryIO, Final, NamedTuple
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from mazurka.errors import MazurkaError
from mazurka.trace.columns import Columns, Names, Parts
from mazurka.trace.event import Op
from mazurka.trace.trace import NO_VALUE, NOTHING

_DISPENSABLE: Final = (Op.BEGIN, Op.END, Op.REQUEST)


#: An escaped character; and the text for the empty name, which no other name is escaped to.
_ESCAPED: Final = re.compile("%[0-9A-Fa-f]{2}")
_EMPTY: Final = "%FF"


class Piece(NamedTuple):
    """A part of each line: the column, the names of its numbers, and their text; ``missing`` stands for unknown values
    and sites."""

    column: str
    text: Callable[[Any], str]
    missing: str = ""


class Losses:
    """Data that could not be written as it was."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self.has_values = self.has_sites = False
        self.escapes = self.renames = False

    def escaped(self, name: str, also: str = "", without: str = "") -> str:
        """A name in which white space, control characters and the characters in ``without``, but not those in ``also``,
        are escaped.

        Injective: a name that has to be escaped, or looks as if it had been, is escaped as a whole.
        """
        strange = any(char in without or (char <= " " and char not in also) or char == "\x7f" for char in name)
        if name and not strange and not _ESCAPED.search(name):
            return name
        self.escapes = True
        keep = "".join(char for char in map(chr, range(33, 127)) if char not in without + "%")
        return quote(name, safe=keep + also) or _EMPTY

    def listed(self, *lacking: str) -> list[str]:
        """All losses in words; ``lacking`` are columns (``values``, ``locations``) that the format does not have."""
        found = [
            f"{count:,} {name.lower()} event{'s' * (count != 1)}, left out" for name, count in self.left_out.items()
        ]
        found += ["values"] * (self.has_values and "values" in lacking)
        found += ["locations"] * (self.has_sites and "locations" in lacking)
        found += ["names, numbered instead"] * self.renames
        found += ["spaces and such in names, written as %20"] * self.escapes
        return found


def cannot_carry(into: str, row: int, data: str) -> MazurkaError:
    """The error ``trace-cannot-carry`` about a row."""
    hint = "convert to parquet or csv"
    return MazurkaError("trace-cannot-carry", f"row {row}: {into} has no place for {data}", hint=hint)


def write_lines(
    parts: Parts, out: BinaryIO, into: str, pieces: Sequence[Piece], kinds: Mapping[Op, str], losses: Losses
) -> None:
    """Writes all rows; an operation that is not in ``kinds``, or whose target is of another kind, is an error."""
    write_pieces(Parts(parts.names, carried(parts, into, kinds, losses)), out, pieces)


def write_pieces(parts: Parts, out: BinaryIO, pieces: Sequence[Piece]) -> None:
    """Writes all rows as they are."""
    texts = [_PieceTexts(piece) for piece in pieces]
    for rows in parts.rows:
        columns = [text.of(rows, parts.names) for text in texts]
        out.write("".join(chain.from_iterable(zip(*columns, strict=True))).encode())


def carried(parts: Parts, into: str, kinds: Mapping[Op, str], losses: Losses) -> Iterator[Columns]:
    """The parts without the events left out; an error for events that can't be written."""
    before = 0
    words: set[Op] = set(kinds)
    kind_of: list[str] = []
    for rows in parts.rows:
        losses.has_values |= bool((rows.value != NO_VALUE).any())
        losses.has_sites |= bool((rows.site >= 0).any())
        dispensable = [op for op in _DISPENSABLE if op not in words]
        absent = np.isin(rows.op, dispensable)
        for op in dispensable:
            if count := int((rows.op == op).sum()):
                losses.left_out[op.name] += count
        kind_of += [kind for kind, _ in parts.names.targets[len(kind_of) :]]
        if (row := _unwritable(rows, absent, kinds, kind_of)) is not None:
            op, (kind, name) = Op(int(rows.op[row])), parts.names.targets[int(rows.target[row])]
            raise cannot_carry(
                into, before + row, f"{op.name.lower()} of {kind} {name}" if kind != NOTHING[0] else op.name.lower()
            )
        before += rows.rows
        yield rows.select(~absent) if absent.any() else rows


def _unwritable(rows: Columns, absent: NDArray[np.bool_], kinds: Mapping[Op, str], kind_of: list[str]) -> int | None:
    """The first row whose operation has no word in the format, or none for a target of this kind."""
    numbers = {kind: number for number, kind in enumerate(dict.fromkeys([*kinds.values(), *kind_of]))}
    wanted = np.array([numbers[kinds[op]] if op in kinds else -1 for op in Op], np.int32)
    has = np.array([numbers[kind] for kind in kind_of], np.int32)
    wrong = np.flatnonzero((wanted[rows.op] != has[rows.target]) & ~absent)
    return int(wrong[0]) if len(wrong) else None


class _PieceTexts:
    """The texts of a piece, by number; the first is for -1."""

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self.texts = [piece.missing]

    def of(self, rows: Columns, names: Names) -> Iterator[str]:
        tables: dict[str, Sequence[Any]] = {
            "thread": names.threads,
            "op": list(Op),
            "target": names.targets,
            "value": names.values,
            "site": names.locations,
        }
        made, table = self.texts, tables[self.piece.column]
        column = getattr(rows, self.piece.column)
        for number in range(len(made) - 1, int(column.max(initial=-1)) + 1):
            made.append(self.piece.text(table[number]))
        return map(made.__getitem__, (column.astype(np.int64) + 1).tolist())
