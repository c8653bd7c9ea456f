"""The file of a finished recording: chunks, compressed, then a table of them, then where the table is.

A finished recording has check sums of all its parts: a damaged one is an error that names the damage. The one that the
program itself has written (:mod:`mazurka.flow.raw`) is replaced by it, as a whole or not at all.

Cost: zlib at level 1, 100 MB/s.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any, Final

from mazurka.errors import MazurkaError, UsageError
from mazurka.flow import raw
from mazurka.flow.recording import VERSION, Chunk, Ended, Ending, Recording, ThreadRecord
from mazurka.new_files import open_new

_MAGIC: Final = b"MZFLOW01"
_TAIL: Final = struct.Struct("<QII8s")
_END: Final = b"MZFLOWEN"


def finish(path: str, recording: Recording) -> None:
    """Write a finished recording in place of the file ``path``; raises OSError if it can't, and leaves the file as it
    is."""
    descriptor, fresh = open_new(Path(path).absolute().parent, f".{Path(path).name}.")
    try:
        with open(descriptor, "wb") as stream:
            stream.write(_MAGIC)
            text = zlib.compress(recording.text.encode("utf-8", "surrogateescape"), 6)
            table: dict[str, Any] = {
                "about": recording.about,
                "text": [len(text), zlib.crc32(text)],
                "ending": {name: getattr(recording.ending, name) for name in Ending.__slots__},
                "threads": [],
            }
            stream.write(text)
            for thread in recording.threads:
                chunks = []
                for chunk in thread.chunks:
                    packed = zlib.compress(chunk.data, 1)
                    stream.write(packed)
                    rest = [chunk.sequence, chunk.site, list(chunk.calls), chunk.depth, chunk.left]
                    chunks.append([len(packed), zlib.crc32(packed), *rest])
                table["threads"].append([thread.number, thread.parent, thread.child, thread.ended.value, chunks])
            where = stream.tell()
            described = json.dumps(table).encode()
            stream.write(described)
            stream.write(_TAIL.pack(where, zlib.crc32(described), VERSION, _END))
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise


def read(path: str) -> Recording:
    """The recording in a file, finished or not.

    Raises :class:`~mazurka.errors.MazurkaError`: there is none, it's none, it was cut, it's damaged, or of another
    version.
    """
    try:
        with open(path, "rb") as stream:
            content = stream.read(8)
            if content == _MAGIC:
                content += stream.read()
    except OSError as error:
        raise UsageError("no-such-file", error.strerror or str(error), where=path) from None
    if content == raw.MAGIC:
        return raw.read(path)
    if not content.startswith(_MAGIC):
        raise UsageError(
            "not-a-recording",
            "this is no recording of control flow",
            where=path,
            hint="`mazurka record --control-flow` makes one",
        )
    return _finished(content, path)


def _finished(content: bytes, path: str) -> Recording:
    where, table_sum, version, end = (0, 0, 0, b"")
    if len(content) >= len(_MAGIC) + _TAIL.size:
        where, table_sum, version, end = _TAIL.unpack_from(content, len(content) - _TAIL.size)
    if end != _END:
        problem = f"it was cut, after {len(content):,} bytes"
        raise MazurkaError("recording-corrupt", problem, where=path, hint="record it again")
    if version != VERSION:
        raise MazurkaError(
            "recording-version", f"its version is {version}, not {VERSION}", where=path, hint="record it again"
        )
    described = content[where : -_TAIL.size]
    if zlib.crc32(described) != table_sum:
        raise _damaged(path, "its table")
    table = json.loads(described)
    at = len(_MAGIC)

    def part(size: int, known: int, words: str) -> bytes:
        nonlocal at
        found = content[at : at + size]
        at += size
        if zlib.crc32(found) != known:
            raise _damaged(path, words)
        return zlib.decompress(found)

    text = part(table["text"][0], table["text"][1], "its program").decode("utf-8", "surrogateescape")
    threads = []
    for number, parent, child, ended, chunks in table["threads"]:
        thread = ThreadRecord(number, parent, child, Ended(ended))
        for size, known, sequence, site, calls, depth, left in chunks:
            data = part(size, known, f"part {sequence + 1} of thread {number}")
            thread.chunks.append(Chunk(sequence, data, site, tuple(calls), depth, left))
        threads.append(thread)
    return Recording(table["about"], text, threads, Ending(**table["ending"]))


def _damaged(path: str, words: str) -> MazurkaError:
    return MazurkaError("recording-corrupt", f"{words} is damaged", where=path, hint="record it again")
