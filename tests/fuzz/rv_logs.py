"""Logs as RV-Predict writes them, made from events: input for tests of its reader, and the samples in the corpus.

PYTHONPATH=src:. python -m tests.fuzz.rv_logs FOLDER    writes the sample of the examples
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from mazurka.trace.formats.lz4_blocks import MAGIC, checksum_of

#: Number, thread, location, address, value, operation.
Event = tuple[int, int, int, int, int, int]

_EVENT: Final = struct.Struct(">qqiQqB")
_LEVEL: Final = 13  # blocks of 8 MB

#: Two threads that put into one account under its monitor, of which one has looked before without it.
ACCOUNT: Final[tuple[tuple[Event, ...], ...]] = (
    (
        (1, 1, 7, 11, 0, 11),
        (2, 1, 8, 0x2A0000ACC0, 0, 5),
        (3, 1, 9, 0xACC0FFFFFFFD, 0, 0),
        (4, 1, 9, 0xACC0FFFFFFFD, 50, 1),
        (5, 1, 10, 0x2A0000ACC0, 0, 6),
        (12, 1, 11, 11, 0, 12),
    ),
    (
        (6, 11, 20, 0xACC0FFFFFFFD, 50, 0),
        (7, 11, 21, 0, 0, 15),
        (8, 11, 21, 0x2A0000ACC0, 0, 5),
        (9, 11, 22, 0xACC0FFFFFFFD, 50, 0),
        (10, 11, 22, 0xACC0FFFFFFFD, 80, 1),
        (11, 11, 23, 0x2A0000ACC0, 0, 6),
    ),
)


def records(events: Iterable[Event]) -> bytes:
    """The events of a file, not compressed."""
    return b"".join(_EVENT.pack(*event) for event in events)


def stored(*blocks: bytes) -> bytes:
    """Blocks as lz4-java writes incompressible data, and an end."""
    return b"".join(_block(0x10 | _LEVEL, block, len(block), checksum_of(block)) for block in blocks) + END


def _block(token: int, data: bytes, size: int, checksum: int) -> bytes:
    return MAGIC + struct.pack("<Biii", token, len(data), size, checksum) + data


END: Final = _block(0x10 | _LEVEL, b"", 0, 0)


def compressed(data: bytes) -> bytes:
    """One block that is compressed, and an end."""
    import pyarrow

    packed = pyarrow.Codec("lz4_raw").compress(data, asbytes=True)
    return _block(0x20 | _LEVEL, packed, len(data), checksum_of(data)) + END


def write_log(folder: Path, threads: Iterable[Iterable[Event]]) -> None:
    """A folder with a file of each thread."""
    folder.mkdir(exist_ok=True)
    for number, events in enumerate(threads):
        (folder / f"{number}_trace.bin").write_bytes(compressed(records(events)))


if __name__ == "__main__":
    write_log(Path(sys.argv[1]), ACCOUNT)
