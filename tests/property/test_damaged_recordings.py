"""Segments of recordings that are damaged, or made up: each is finished, or refused with an error about the file; no
code in it is run, and nothing crashes."""

from __future__ import annotations

import json
import os
import random
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.later import Later

from mazurka.errors import MazurkaError
from mazurka.program.python.instrument import sites
from mazurka.program.python.recording.raw import ADOPTED, HEAD, LARGEST_CODE, MAGIC, MORE, OFFSETS, RawWriter
from mazurka.program.python.recording.reading import read
from mazurka.trace.event import Op
from mazurka.trace.reading import read_trace

finishing = Later("mazurka.program.python.recording.finishing")

#: Damages of each kind.
_DAMAGES = 20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 700

_READ, _WRITE = Op.READ.value, Op.WRITE.value

#: Usual keys, and recorded values.
_KEYS: list[Any] = [
    None,
    7,
    "name",
    "\ud800",
    b"\0\xff",
    1.5,
    float("inf"),
    2j,
    10**30,
    10**5000,
    ("tuple", ("int", 1), ("str", "x")),
    ("object", 3),
    ("int", 10**5000),
    ("bytes", b""),
    ("frozenset", 1, (2, ("a",))),
]


def _events(site: int) -> list[Any]:
    """Of two threads, of all kinds."""
    events: list[Any] = [101, "0", ADOPTED, 102, "0.1", ADOPTED]
    for thread in (101, 102):
        events += [thread, 1, site, thread, 2, -site]
        for op, target in (
            (Op.WRITE, ("g", "module", "name")),
            (Op.ACQUIRE, ("lock", 4)),
            (Op.WAIT, ("cond", 3, 4)),
            (Op.WRITE, ("waiter", 3, thread)),
            (Op.RMW, ("hidden", "stored", "name 1")),
            (Op.FORK, ("thread", "0.1")),
            (Op.READ, ("c", 2)),
            (Op.RELEASE, ("lock", 4)),
        ):
            events += [thread, target, op.value, site, ("int", 1), MORE]
        for key in _KEYS:
            events += [thread, 1, _WRITE + OFFSETS["i"], site, key, MORE, thread, ("a", 2, "n"), _READ, site, key, MORE]
        events += [thread, 5, _READ + OFFSETS["a"], site, "attribute", MORE]
        events += [thread, -1, _READ + OFFSETS["i"], site, "attribute", MORE]
        events += [thread, 2, _WRITE + OFFSETS["s"], site, None, MORE]
        events += [thread, ("thread", "0.1"), Op.END.value, site, None, MORE]
    return events


@pytest.fixture(scope="module")
def segments(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The segments that a recorder writes."""
    file = "recorded.py"
    sites.register(file, [(3, 1, "work", "read", "count", 3, 9), (4, 1, "work", "store", "total", 4, 9)])
    first, second = sites.numbers(file)
    writer = RawWriter(tmp_path_factory.mktemp("made") / "recording", {})
    writer.write(_events(first), [1, "Counter", -2, "Strict", 3, "Condition"])
    writer.write(_events(second), [])
    folder = tmp_path_factory.getbasetemp()
    return [path.read_bytes() for path in sorted(folder.rglob("recording/*.raw"))]


def _finished(folder: Path, segments: list[bytes]) -> str:
    """The result of finishing segments: "", or the slug of a refusal, which names the file and, if it has one, the
    byte."""
    folder.mkdir(exist_ok=True)
    for left in folder.iterdir():
        if left.is_file():
            left.unlink()
    for number, data in enumerate(segments):
        (folder / f"{number:06}.raw").write_bytes(data)
    try:
        done = finishing.finish(folder)
    except MazurkaError as error:
        assert str(folder) in error.where
        assert error.slug in ("trace-malformed", "trace-truncated")
        return error.slug
    if done.events:
        read_trace(folder)
    return ""


def test_what_a_recorder_writes_is_read(segments: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "000000.raw"
    path.write_bytes(segments[0])
    segment = read(path)
    assert segment.labels == [1, "Counter", -2, "Strict", 3, "Condition"]
    assert [*_events(0)[1::3]] == segment.targets
    assert [type(thing) for thing in _events(0)[1::3]] == [type(thing) for thing in segment.targets]
    assert _finished(tmp_path / "whole", segments) == ""


def test_damage_is_told_with_its_place(segments: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "damaged.raw"
    for damaged, where in (
        (b"", ""),
        (segments[0][:20], ""),
        (segments[0][:-1], ""),
        (segments[0] + b"\0", f", byte {len(segments[0])}"),
        (b"\x00" + segments[0][1:], ", byte 0"),
        (segments[0][:300] + b"~" + segments[0][301:], f", byte {len(MAGIC)}"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(MazurkaError) as caught:
            read(path)
        assert caught.value.where == f"{path}{where}"


def test_any_damage_is_noticed(segments: list[bytes], tmp_path: Path) -> None:
    rng = random.Random(1)
    for _ in range(_DAMAGES // 3):
        one = bytearray(segments[0])
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(one))
            one[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        if one != segments[0]:
            assert _finished(tmp_path / "recording", [bytes(one), segments[1]])


def test_whatever_is_made_up_is_refused_or_finished(segments: list[bytes], tmp_path: Path) -> None:
    """With lengths and check sums that are right."""
    rng, told = random.Random(2), Counter[str]()
    for _ in range(_DAMAGES):
        one = _spoilt(segments[0], rng)
        several = [one, segments[1]] if rng.random() < 0.5 else [segments[1], one]
        told[_finished(tmp_path / "recording", several)] += 1
    assert min(told[""], told["trace-malformed"]) > _DAMAGES / 20


def _spoilt(data: bytes, rng: random.Random) -> bytes:
    _, _, length, items = HEAD.unpack_from(data)
    text, columns = data[HEAD.size : HEAD.size + length], bytearray(data[HEAD.size + length :])
    how = rng.random()
    if how < 0.4:
        text = _respelt(text, rng)
    elif how < 0.5:
        spoilt = bytearray(text)
        spoilt[rng.randrange(len(text))] = rng.choice(b'[]{}",0-e1')
        text = bytes(spoilt)
    else:
        for _ in range(rng.randint(1, 4)):
            column = rng.randrange(3)
            size, begin = (8, 8 * items * column) if column < 2 else (4, 16 * items)
            at = begin + size * rng.randrange(items)
            other = begin + size * rng.randrange(items)
            numbers = [0, 1, 5, -1, -2, -3, LARGEST_CODE, 31, 40, -(1 << 31), (1 << 31) - 1, _READ + OFFSETS["g"]]
            numbers += [rng.choice([1, -1]) << 63 >> rng.randrange(1, 40), 1 << 60] if size == 8 else []
            new = rng.choice(numbers).to_bytes(8, "little", signed=True)[:size]
            columns[at : at + size] = rng.choice((new, bytes(columns[other : other + size])))
    return _sealed(text, bytes(columns))


def _sealed(text: bytes, columns: bytes) -> bytes:
    rest = text + columns
    return HEAD.pack(MAGIC, zlib.crc32(rest), len(text), len(columns) // 20) + rest


_OTHER: list[Any] = [0, -1, 1 << 70, 1.5, "", "a", "\ud800", None, True, [], ["a"], ["lock"], ["cond", 1], [["x"]], {}]
_OTHER += [{"bytes": "0g"}, {"int": "0x10"}, {"complex": ["1", 2]}, {"complex": [1, 2]}, {"bytes": 5}, {"x": 1}]


def _respelt(text: bytes, rng: random.Random) -> bytes:
    """Names with one part exchanged, dropped or doubled."""
    told = json.loads(text)
    here = told
    while isinstance(here, list) and here:
        at = rng.randrange(len(here))
        if not isinstance(here[at], list) or rng.random() < 0.2:
            here[at : at + rng.randrange(2)] = [rng.choice([*_OTHER, *here])] * rng.randrange(3)
            break
        here = here[at]
    return json.dumps(told).encode("ascii")


def test_names_nested_deep_or_with_too_many_digits_are_refused(segments: list[bytes], tmp_path: Path) -> None:
    _, _, length, _ = HEAD.unpack_from(segments[0])
    columns = segments[0][HEAD.size + length :]
    for text in (b"[" * 100_000, b"[[],[]," + b"[" * 990 + b"]" * 990 + b"]", b"[[],[],[" + b"1" * 5000 + b"]]"):
        assert _finished(tmp_path / "recording", [_sealed(text, columns)]) == "trace-malformed"
    huge = HEAD.pack(MAGIC, 0, 1 << 62, 1 << 60)
    assert _finished(tmp_path / "recording", [huge + b"x"]) == "trace-truncated"


def test_what_is_told_of_an_end_that_was_none(segments: list[bytes], tmp_path: Path) -> None:
    for text in ("", "[]", '{"recorded": "1"}', '{"more": 1}', "{" * 9, '{"recorded": 1e9}'):
        (tmp_path / "000000.raw").write_bytes(segments[0])
        (tmp_path / "finished.json").write_text(text)
        with pytest.raises(MazurkaError, match="does not describe a finished recording"):
            finishing.finish(tmp_path)
