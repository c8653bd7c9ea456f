"""RV-Predict's binary logs: the meaning of their events, and the faults of impossible ones.

The samples are written as lz4-java writes. RAPID, with the library from the developers of RV-Predict, reads them alike.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fuzz.rv_logs import ACCOUNT, END, Event, compressed, records, stored, write_log

from mazurka.errors import MazurkaError
from mazurka.trace.formats import lz4_blocks
from mazurka.trace.formats.lz4_blocks import hash_of
from mazurka.trace.reading import opened, read_trace
from mazurka.trace.writing import write_trace

MONITOR = 0x2A45C47085


def told(path: Path) -> list[str]:
    return [f"{e.thread} {e.op.name} {e.target} @{e.location}" for e in read_trace(path).events()]


def log(tmp_path: Path, *threads: list[Event]) -> list[str]:
    write_log(tmp_path / "log", threads)
    return told(tmp_path / "log")


def refused(tmp_path: Path, data: bytes, slug: str = "trace-malformed") -> str:
    (path := tmp_path / "0_trace.bin").write_bytes(data)
    with pytest.raises(MazurkaError) as caught:
        read_trace(path)
    assert caught.value.slug == slug
    return str(caught.value).removeprefix(str(path))


def test_what_events_mean(tmp_path: Path) -> None:
    first = [
        (1, 1, 10, 11, 0, 11),
        (2, 1, 11, MONITOR, 0, 5),
        (3, 1, 12, 0x16E92358FFFFFF39, 7, 1),
        (5, 1, 13, MONITOR, 0, 9),
        (9, 1, 13, MONITOR, 0, 10),
        (12, 1, 14, 11, 0, 12),
    ]
    second = [
        (4, 11, 20, 0x45C4708500000003, 7, 0),
        (6, 11, 0, 0, 0, 15),  # a method is entered, which has no number of its own
        (6, 11, 21, MONITOR, 0, 17),
        (7, 11, 22, MONITOR, 0, 5),
        (8, 11, 23, MONITOR, 0, 6),
        (10, 11, 24, 0x16E9235800000000, 1, 4),
        (11, 11, 25, 5, 0, 19),
    ]
    assert log(tmp_path, second, first) == [
        "T1 FORK thread T11 @10",
        "T1 ACQUIRE lock L2a45c47085 @11",
        "T1 WRITE var V16e92358.199 @12",
        "T11 READ var V45c47085[3] @20",
        "T1 RELEASE lock L2a45c47085 @13",
        "T11 REQUEST lock L2a45c47085 @21",
        "T11 ACQUIRE lock L2a45c47085 @22",
        "T11 RELEASE lock L2a45c47085 @23",
        "T1 ACQUIRE lock L2a45c47085 @13",
        "T11 RMW atomic V16e92358[0] @24",
        "T11 END thread T11 @25",
        "T1 JOIN thread T11 @14",
    ]


def test_a_lock_that_is_shared_is_had_by_several_at_once(tmp_path: Path) -> None:
    readers = [(1, 1, 0, 9, 0, 7), (3, 1, 0, 9, 0, 8)], [(2, 2, 0, 9, 0, 7), (4, 2, 0, 9, 0, 8)]
    writer = [(5, 3, 0, 9, 0, 5), (6, 3, 0, 9, 0, 6), (7, 3, 0, 8, 0, 5), (8, 3, 0, 8, 0, 6)]
    events = log(tmp_path, *readers, writer)
    assert events[:6] == [f"T{thread} RMW shared lock L9 @0" for thread in (1, 2, 1, 2, 3, 3)]
    assert events[6:] == ["T3 ACQUIRE lock L8 @0", "T3 RELEASE lock L8 @0"]


def test_the_file_of_one_thread(tmp_path: Path) -> None:
    data = records(ACCOUNT[0])
    for number, file in enumerate((data, stored(data[:37], data[37:]), compressed(data))):
        (path := tmp_path / f"{number}").write_bytes(file)
        assert len(told(path)) == 6


def test_it_can_only_be_read(tmp_path: Path) -> None:
    write_log(tmp_path / "log", ACCOUNT)
    with opened(tmp_path / "log") as (known, parts), pytest.raises(MazurkaError) as caught:
        write_trace(parts, tmp_path / "out", known)
    assert (known.name, caught.value.slug) == ("rvpredict", "trace-cannot-carry")


def test_what_is_no_log(tmp_path: Path) -> None:
    good = records(ACCOUNT[0])
    assert "event 1 has no operation known: 20" in refused(tmp_path, stored(good[:73] + bytes([20]) + good[74:]))
    assert "event 0 has no thread: -1" in refused(tmp_path, stored(good[:8] + b"\xff" * 8 + good[16:]))
    assert "two events have the number 1" in refused(tmp_path, stored(good[:37], good[:37]))
    assert "it ends within event 1" in refused(tmp_path, stored(good[:50]), "trace-truncated")
    assert "it holds no events" in refused(tmp_path, END, "trace-empty")


def test_blocks_that_are_damaged(tmp_path: Path) -> None:
    good = compressed(records(ACCOUNT[0]))
    size = len(good) - len(END)
    for cut in (size, size - 1, 20, 8):
        assert f"its LZ4 data ends too early, at byte {cut}" in refused(tmp_path, good[:cut], "trace-truncated")
    wrong = {
        "another checksum": good[:17] + b"\0" + good[18:],
        "no header": good[:8] + b"\x3d" + good[9:],
        "no lengths": good[:9] + bytes(4) + good[13:],
        "data after the last block": good + b"?",
        "no header of a block": good[:size] + b"LZ4Block" + b"\xff" * 13,
    }
    for what, data in wrong.items():
        said = refused(tmp_path, data)
        assert "its LZ4 data is damaged here, or before" in said
        assert what in said
    plain = stored(records(ACCOUNT[0]))
    for byte in range(21, len(plain) - len(END)):
        assert "another checksum" in refused(tmp_path, plain[:byte] + bytes([plain[byte] ^ 1]) + plain[byte + 1 :])


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        ("", 0x02CC5D05),
        ("a", 0x550D7456),
        ("abc", 0x32D153FF),
        ("Nobody inspects the spammish repetition", 0xE2293B2F),
    ],
)
def test_xxhash32(text: str, digest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests that its users publish."""
    assert hash_of(text.encode(), 0) == digest
    monkeypatch.setattr(lz4_blocks, "_FEW", -1)
    for size in (0, 1, 15, 16, 37, 5000):
        data = bytes(range(250)) * (size // 250 + 1)
        assert lz4_blocks.checksum_of(data[:size]) == hash_of(data[:size], 0x9747B28C) & 0x0FFFFFFF
