"""Writes schedules to files and tokens and reads them back; damaged ones and those of other versions are refused.

The file is JSON that a person can read (format in ``docs/reference/schedule.md``), closed by a SHA-256 checksum over
its canonical form. The token is ``mz1-`` followed by URL-safe base64 of a CRC-32 and the deflated essentials: enough
to replay on the same program, not enough to say which step differs.

Invariants: a schedule that is encoded and decoded is equal to the first (a token loses steps, message and strategy); a
file is either the old one or the new one, never half of it.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import json
import os
import zlib
from pathlib import Path
from typing import Any, Final

from mazurka.errors import MazurkaError
from mazurka.new_files import open_new
from mazurka.program.memory import MemoryModel
from mazurka.replay.points import Point
from mazurka.replay.schedule import FORMAT, SavedFailure, SavedStep, Schedule
from mazurka.replay.switches import decode_blocks, encode_blocks

TOKEN_PREFIX: Final = f"mz{FORMAT}-"

#: A token never inflates to more than this many bytes.
_MOST: Final = 1 << 24

#: A prefix never has more entries than this; a run is cut long before.
_MOST_POINTS: Final = 10_000_000

_NOT_IN_CANONICAL: Final = "checksum"


def is_token(text: str) -> bool:
    """Whether a command-line argument is meant as a token rather than a file."""
    return text.startswith("mz") and "-" in text[:6] and "/" not in text and not text.endswith(".json")


# -- files ------------------------------------------------------------------------------------------------------------


def to_json(schedule: Schedule) -> str:
    """A schedule as the text of its file: one line per block and per step."""
    data = {
        "format": FORMAT,
        "target": schedule.target,
        "arguments": list(schedule.arguments),
        "program": schedule.program,
        "python": schedule.python,
        "strategy": schedule.strategy,
        "memory_model": schedule.memory_model,
        "options": dict(schedule.options),
        "failure": {name: getattr(schedule.failure, name) for name in SavedFailure.__slots__},
        "points": [[getattr(point, name) for name in Point.__slots__] for point in schedule.points],
        "prefix": [list(block) for block in encode_blocks(schedule.prefix)],
        "steps": [[getattr(step, name) for name in SavedStep.__slots__] for step in schedule.steps],
    }
    data[_NOT_IN_CANONICAL] = _checksum(data)
    lines = []
    for key, value in data.items():
        if isinstance(value, list) and value:
            items = ",\n".join(f"  {json.dumps(item, ensure_ascii=False)}" for item in value)
            text = f"[\n{items}\n ]"
        else:
            text = json.dumps(value, ensure_ascii=False, sort_keys=key == "options")
        lines.append(f' "{key}": {text}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def from_json(text: str, where: str = "") -> Schedule:
    """Read a schedule file's text back; ``where`` names it in errors."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise _corrupt(f"this is no readable schedule: {error}", where) from None
    if not isinstance(data, dict) or "format" not in data:
        raise _corrupt("this is JSON, but no schedule", where)
    if data["format"] != FORMAT:
        raise _foreign(str(data["format"]), where)
    if data.get(_NOT_IN_CANONICAL) != _checksum(data):
        raise _corrupt("its checksum does not match its contents: it was cut short or edited", where)
    try:
        return _from_fields(data)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise _corrupt(f"a field is missing or of the wrong kind ({error!r})", where) from None


def _from_fields(data: dict[str, Any]) -> Schedule:
    return Schedule(
        target=str(data["target"]),
        arguments=tuple(str(each) for each in data["arguments"]),
        program=str(data["program"]),
        prefix=_checked_prefix(data["prefix"]),
        failure=SavedFailure(**data["failure"]),
        steps=tuple(SavedStep(*fields) for fields in data["steps"]),
        points=tuple(Point(*fields) for fields in data["points"]),
        strategy=str(data["strategy"]),
        memory_model=MemoryModel(data["memory_model"]).value,
        python=str(data["python"]),
        options=dict(data["options"]),
    )


def _checked_prefix(blocks: list[list[Any]]) -> tuple[str, ...]:
    pairs = tuple((str(name), int(count)) for name, count in blocks)
    if any(count < 1 for _, count in pairs) or sum(count for _, count in pairs) > _MOST_POINTS:
        raise ValueError("a block's length is out of range")
    return decode_blocks(pairs)


def _checksum(data: dict[str, Any]) -> str:
    kept = {key: value for key, value in data.items() if key != _NOT_IN_CANONICAL}
    canonical = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def write_schedule(schedule: Schedule, directory: Path) -> Path:
    """Save a schedule as ``<short hash>.json`` in ``directory``, which is made if need be; never leaves half a file."""
    path = directory / f"{schedule.short_hash}.json"
    temporary = ""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        handle, temporary = open_new(directory, ".schedule-")
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(to_json(schedule))
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise MazurkaError(
            "schedule-not-saved",
            f"the schedule can't be saved: {error.strerror or error}",
            where=str(path),
            hint="replay it by the token that is printed instead",
        ) from None
    return path


def read_schedule(path: Path) -> Schedule:
    """Read a saved schedule."""
    try:
        text = path.read_text(encoding="utf-8", errors="surrogatepass")
    except FileNotFoundError:
        hint = "give a file under .mazurka/failures/ or a token that starts with " + TOKEN_PREFIX
        raise MazurkaError("schedule-not-found", "there is no such schedule", where=str(path), hint=hint) from None
    except UnicodeError:
        raise _corrupt("this is no text", str(path)) from None
    except OSError as error:
        raise MazurkaError(
            "schedule-not-found", f"the schedule can't be read: {error.strerror or error}", where=str(path)
        ) from None
    return from_json(text, str(path))


# -- tokens -----------------------------------------------------------------------------------------------------------


def to_token(schedule: Schedule) -> str:
    """The short form of a schedule, which is typed or pasted instead of a file's name."""
    threads = list(dict.fromkeys(schedule.prefix))
    essentials = [
        schedule.target,
        list(schedule.arguments),
        schedule.program,
        schedule.failure.kind,
        schedule.failure.fingerprint,
        dict(schedule.options),
        threads,
        [number for name, count in encode_blocks(schedule.prefix) for number in (threads.index(name), count)],
        _group_points(schedule.points),
        schedule.memory_model,
        schedule.python,
    ]
    body = json.dumps(essentials, separators=(",", ":"), sort_keys=True).encode()
    packed = zlib.crc32(body).to_bytes(4, "big") + zlib.compress(body, 9)
    return TOKEN_PREFIX + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def from_token(token: str) -> Schedule:
    """Read a token back."""
    version, _, text = token.strip().partition("-")
    where = f"token {token[:12]}..."
    if version != TOKEN_PREFIX[:-1]:
        raise _foreign(version.removeprefix("mz"), where)
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        inflater = zlib.decompressobj()
        body = inflater.decompress(packed[4:], _MOST)
    except (binascii.Error, ValueError, zlib.error):
        raise _corrupt("the token is damaged", where) from None
    if not inflater.eof or zlib.crc32(body).to_bytes(4, "big") != packed[:4]:
        raise _corrupt("the token was cut short or changed", where)
    try:
        return _from_essentials(json.loads(body))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise _corrupt(f"the token's contents make no sense ({error!r})", where) from None


def _from_essentials(essentials: list[Any]) -> Schedule:
    target, arguments, program, kind, mark, options, threads, runs, points, memory_model, python = essentials
    blocks = [[threads[runs[at]], runs[at + 1]] for at in range(0, len(runs), 2)]
    return Schedule(
        target=str(target),
        arguments=tuple(str(each) for each in arguments),
        program=str(program),
        prefix=_checked_prefix(blocks),
        failure=SavedFailure(str(kind), "", "", "", "", str(mark)),
        points=_ungroup_points(points),
        strategy="",
        memory_model=MemoryModel(memory_model).value,
        python=str(python),
        options=dict(options),
    )


def load(text: str) -> Schedule:
    """The schedule that a command-line argument names: a token, or else a file."""
    return from_token(text) if is_token(text) else read_schedule(Path(text))


# -- parts ------------------------------------------------------------------------------------------------------------


def _group_points(points: tuple[Point, ...]) -> list[list[Any]]:
    """Points by file, for a token: its name, then the running numbers, each as the distance from the one before."""
    groups: dict[str, list[int]] = {}
    for point in sorted(points):
        groups.setdefault(point.file, []).append(point.number)
    return [
        [file, *(number - before for before, number in zip([0, *numbers], numbers, strict=False))]
        for file, numbers in groups.items()
    ]


def _ungroup_points(groups: list[list[Any]]) -> tuple[Point, ...]:
    points = []
    for file, *distances in groups:
        number = 0
        for distance in distances:
            number += int(distance)
            points.append(Point(str(file), number))
    return tuple(points)


def _corrupt(message: str, where: str) -> MazurkaError:
    return MazurkaError("schedule-corrupt", message, where=where, hint="make it again with `mazurka check`")


def _foreign(version: str, where: str) -> MazurkaError:
    return MazurkaError(
        "schedule-version",
        f"the schedule has format version {version[:20]}, this Mazurka reads version {FORMAT}",
        where=where,
        hint="replay it with the Mazurka that made it, or make it again with `mazurka check`",
    )
