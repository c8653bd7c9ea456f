"""Trace formats: their protocol, their registry, and the detection of a file's format.

A format is a module with two functions::

    def read(source: Source) -> Parts                        # strict: malformed input is an error with its place
    def write(parts: Parts, out: BinaryIO) -> list[str]      # the losses, in words; empty if there are none

Data that a format can't hold at all (an event without a word in the format, a number too large for its fields) is an
error ``trace-cannot-carry``; names that are numbered anew and columns that the format lacks are losses.

A file has the format of its suffix (``.std``, ``.std.gz``), if exactly one format has that; otherwise the format whose
pattern its first bytes match.
"""

from __future__ import annotations

import importlib
import re
from typing import BinaryIO, Final, Protocol

from mazurka.errors import MazurkaError, UsageError
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.columns import Parts
from mazurka.trace.formats.packed import unpacked_name
from mazurka.trace.formats.source import BYTE_ORDER_MARK, RV_PREDICTS, TraceSource


class FormatModule(Protocol):
    """A module that implements a format."""

    def read(self, source: TraceSource, /) -> Parts:
        """The events of a file, read lazily; malformed content is an error that gives the place."""
        ...

    def write(self, parts: Parts, out: BinaryIO, /) -> list[str]:
        """Write a trace; returns the losses in words, an empty list if there are none."""
        ...


@dataclass(frozen=True, slots=True)
class Format:
    """A row of the registry; ``start`` matches the first bytes of files of the format."""

    name: str
    suffixes: tuple[str, ...]
    start: re.Pattern[bytes]
    says: str

    def module(self) -> FormatModule:
        """The format's module, imported when it is first needed."""
        module: FormatModule = importlib.import_module(f"mazurka.trace.formats.{self.name}")
        return module


_EVENT: Final = rb"[A-Za-z_]+(\([^\s|]*\))?"
_CELLS: Final = rb"(?=[^\n]*[,(]),*" + _EVENT + rb",*(\r?\n|\Z)"
_WORDS: Final = rb"(RD|WR|ARD|AWR|LK|UK|SIG|WT|SIGNAL[A-Z]+|WAIT[A-Z]+|PREBRANCH|POSTBRANCH|NT|NTWT)"

_RECORD: Final = re.compile(rb"\0{2}.{6}\0{4}.{24}[\0-\x13]", re.DOTALL)

#: All formats, in the order in which they are tried on a file whose suffix does not determine one.
FORMATS: Final = (
    Format("parquet", (".parquet",), re.compile(rb"PAR1"), "Mazurka's own: Parquet, readable by DuckDB and Polars"),
    Format("csv", (".csv",), re.compile(rb"thread,op[,\r\n]"), "CSV with a header, a column per field"),
    Format("std", (".std",), re.compile(rb"[^|\s]+\|" + _EVENT + rb"\|[^|\n]*(\r?\n|\Z)"), "RAPID's STD text"),
    Format("speedygo", (".speedygo",), re.compile(rb"[^,\s]+," + _WORDS + rb","), "SpeedyGo's logs"),
    Format("focs", (".focs",), re.compile(rb"(Fork|Begin|End|Join|Read|Write|Acq|Rel) \S+ \S+"), "focs-lab's text"),
    Format("roadrunner", (".rr",), re.compile(rb"(\[[^\n]*\n)*@ "), "RoadRunner's print tool"),
    Format("rapidcsv", (".csv",), re.compile(_CELLS), "RAPID's CSV, a column per thread"),
    Format("rvpredict", ("_trace.bin",), _RECORD, "RV-Predict's binary logs of Java programs, a folder of them"),
    Format(
        "rapidbin", (".data", ".rapidbin"), re.compile(rb"[\x00-\x04\x80-\x84]"), "RAPID's binary, 8 bytes an event"
    ),
)


def named(name: str) -> Format:
    """The format of this name."""
    for known in FORMATS:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in FORMATS)
    raise UsageError("trace-format", f"there is no trace format {name}", hint=f"there are {names}")


def format_for(file: str) -> Format:
    """The format in which to write a file of this name."""
    candidates = _by_suffix(file)
    if not candidates:
        raise UsageError(
            "trace-format", "cannot infer the format from the file name", where=file, hint="name one with --to"
        )
    return candidates[0]


def format_of(source: TraceSource) -> Format:
    """The format of a file."""
    if source.path.is_dir():
        return named("rvpredict" if any(source.path.glob(RV_PREDICTS)) else "parquet")
    candidates = _by_suffix(str(source.path))
    if len(candidates) == 1:
        return candidates[0]
    head = source.head().removeprefix(BYTE_ORDER_MARK)
    for known in candidates or FORMATS:
        if known.start.match(head):
            return known
    if candidates:
        return candidates[0]
    hint = "say with --from which it has"
    raise MazurkaError("trace-format", "looks like no trace format", where=source.name, hint=hint)


def _by_suffix(file: str) -> list[Format]:
    name = unpacked_name(file.lower())
    return [known for known in FORMATS if name.endswith(known.suffixes)]
