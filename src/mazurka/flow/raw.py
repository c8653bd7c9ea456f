"""The file that a program writes while it's recorded, in the layout of `runtime.c`.

A magic number, the version, the sizes of two texts and their check sums; a description in JSON; the LLVM IR,
compressed. Then, at a multiple of a page, the page of control, with counters that threads share, and the chunks. All
numbers are little-endian.

What isn't finished, since the recorder was killed, is read as well as what is.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import zlib
from typing import Any, BinaryIO, Final

from mazurka.errors import MazurkaError
from mazurka.flow.recording import VERSION, Chunk, Ended, Ending, Recording, ThreadRecord

MAGIC: Final = b"MZFLOWR1"
_HEAD: Final = struct.Struct("<8sIIIII")
_CONTROL: Final = struct.Struct("<QIIIIIIQ")
_CHUNK: Final = struct.Struct("<Q12I")
_CHUNK_MAGIC: Final = int.from_bytes(b"MZCHUNK1", "little")
_PAGE: Final = 4096
_SIZE: Final = 64 << 10
_PART: Final = 4096
_MOST_CALLS: Final = 4096
_ENDS: Final = frozenset(Ended)
_END_SIGNAL: Final = 2
_LOW: Final = bytes(each & 15 for each in range(256))
_HIGH: Final = bytes(each >> 4 for each in range(256))


def begin(stream: BinaryIO, about: dict[str, Any], text: str) -> int:
    """Write all that is known before the program runs; returns the offset of the page of control."""
    described = json.dumps(about).encode()
    packed = zlib.compress(text.encode("utf-8", "surrogateescape"), 6)
    stream.write(_HEAD.pack(MAGIC, VERSION, len(described), zlib.crc32(described), len(packed), zlib.crc32(packed)))
    stream.write(described)
    stream.write(packed)
    control = -(-stream.tell() // _PAGE) * _PAGE
    stream.write(bytes(control - stream.tell()))
    stream.write(_CONTROL.pack(control + _PAGE, 0, 0, 0, 0, 0, 0, 0).ljust(_PAGE, b"\0"))
    stream.flush()
    return control


def read(path: str, status: int | None = None, timed_out: bool = False) -> Recording:
    """The recording in a file that a program has written, or still writes. ``status`` is the program's, if it's known.

    Raises :class:`~mazurka.errors.MazurkaError` if the file is damaged.
    """
    with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return _read(content, path, status, timed_out)


def _read(content: mmap.mmap, path: str, status: int | None, timed_out: bool) -> Recording:
    if len(content) < _HEAD.size:
        raise _cut(path)
    _, version, described, described_sum, packed, packed_sum = _HEAD.unpack_from(content)
    if version != VERSION:
        raise MazurkaError(
            "recording-version", f"its version is {version}, not {VERSION}", where=path, hint="record it again"
        )
    end = _HEAD.size + described + packed
    control = -(-end // _PAGE) * _PAGE
    if len(content) < control + _PAGE:
        raise _cut(path)
    first = content[_HEAD.size : _HEAD.size + described]
    second = content[_HEAD.size + described : end]
    if zlib.crc32(first) != described_sum or zlib.crc32(second) != packed_sum:
        raise MazurkaError("recording-corrupt", "its head is damaged", where=path, hint="record it again")
    next_chunk, _, lost, how, thread, signal, forks, address = _CONTROL.unpack_from(content, control)
    if status is None and how == _END_SIGNAL:
        status = -signal
    threads = _threads(content, control + _PAGE, min(next_chunk, len(content)))
    if next_chunk - len(content) > _SIZE * (len(threads) + 1) and not lost:  # each may have been killed before it wrote
        raise _cut(path)
    ending = Ending(status, thread, address, lost, forks, timed_out)
    text = zlib.decompress(second).decode("utf-8", "surrogateescape")
    return Recording(json.loads(first), text, threads, ending)


def _threads(content: mmap.mmap, start: int, stop: int) -> list[ThreadRecord]:
    """The threads, with their chunks; a window whose copy is there is what is left of it."""
    found: dict[int, ThreadRecord] = {}
    known: dict[tuple[int, int], Chunk] = {}
    at = start
    while at + _CHUNK.size <= stop:
        (magic, size, number, sequence, parent, child, ended, site, depth, left, kept, is_window, is_packed) = (
            _CHUNK.unpack_from(content, at)
        )
        begin = at + _CHUNK.size + 4 * (kept + kept % 2)
        end = begin + (at + _SIZE - begin - 8) // (2 if is_packed else 1)
        marked = int.from_bytes(content[end : end + 8], "little")
        is_whole = (
            magic == _CHUNK_MAGIC
            and kept <= _MOST_CALLS
            and ended in _ENDS
            and (is_window or (end + 8 <= stop and marked == sequence + 1))
        )
        at += size if is_whole and size else _PART
        if not is_whole:
            continue  # the process was killed while it was copied
        thread = found.setdefault(number, ThreadRecord(number, parent, child))
        thread.ended = Ended(ended or thread.ended)
        calls = struct.unpack_from(f"<{kept}I", content, begin - 4 * (kept + kept % 2))
        data = content[begin : min(end, stop)]
        data = (_unpacked(data) if is_packed else data).rstrip(b"\0")
        if (number, sequence) not in known or not is_window:
            known[number, sequence] = Chunk(sequence, data, site, calls, depth, left)
    for (number, _), chunk in sorted(known.items()):
        found[number].chunks.append(chunk)
    return [found[number] for number in sorted(found)]


def _unpacked(data: bytes) -> bytes:
    """Bytes of which two had been made one."""
    found = bytearray(2 * len(data))
    found[::2] = data.translate(_LOW)
    found[1::2] = data.translate(_HIGH)
    return bytes(found)


def _cut(path: str) -> MazurkaError:
    size = os.path.getsize(path)
    return MazurkaError("recording-corrupt", f"it was cut, after {size:,} bytes", where=path, hint="record it again")
