"""The meaning of lines of each format, how a file's format is recognised, and the places of malformed data."""

from __future__ import annotations

import gzip
import lzma
import random
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.later import Later

from mazurka.errors import MazurkaError
from mazurka.trace.columns import Names, assemble, columns_of, joined, parts_of
from mazurka.trace.event import Event, Op
from mazurka.trace.formats import std
from mazurka.trace.formats.format import FORMATS, named
from mazurka.trace.formats.gathering import Interning
from mazurka.trace.formats.packed import PIECE
from mazurka.trace.formats.source import LONGEST_LINE
from mazurka.trace.reading import opened, read_trace
from mazurka.trace.writing import write_trace

pa, pq = Later("pyarrow"), Later("pyarrow.parquet")
byte_names, parquet = Later("mazurka.trace.formats.byte_names"), Later("mazurka.trace.formats.parquet")

STD = "T0|fork(T1)|7\nT1|begin|a.c:12\nT1|acq(L1)|8\nT1|w(V1.3[0])|9\nT1|rel(L1)|10\nT0|join(T1)|11\n"


def shown(event: Event) -> str:
    value = "" if event.value is None else f"={event.value}"
    place = f" @{event.location}" if event.location else ""
    return f"{event.thread} {event.op.name} {event.target}{value}{place}"


def events(path: Path, kind: str | None = None) -> list[str]:
    return [shown(event) for event in read_trace(path, kind).events()]


def read(tmp_path: Path, name: str, text: str | bytes) -> list[str]:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return events(path)


@pytest.fixture(params=[std.SMALL, 0], ids=["plain", "compiled"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """STD by both of its readers."""
    monkeypatch.setattr(std, "SMALL", request.param)


# -- the meaning of lines
# --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("either_way")
def test_std(tmp_path: Path) -> None:
    assert read(tmp_path, "a.std", STD) == [
        "T0 FORK thread T1 @7",
        "T1 BEGIN thread T1 @a.c:12",
        "T1 ACQUIRE lock L1 @8",
        "T1 WRITE var V1.3[0] @9",
        "T1 RELEASE lock L1 @10",
        "T0 JOIN thread T1 @11",
    ]


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("T1|begin(X0)|0", "T1 BEGIN thread T1 @0"),
        ("T0|fork(12)|0", "T0 FORK thread T12 @0"),
        ("main|fork(12)|0", "main FORK thread 12 @0"),
        ("T0|fork(T1)|", "T0 FORK thread T1"),
        ("3|join(12)|0", "3 JOIN thread 12 @0"),
        ("T1|end()|5", "T1 END thread T1 @5"),
        ("T0|req(L0)|file.c:12", "T0 REQUEST lock L0 @file.c:12"),
        ("T0|wait(L0)|1", "T0 WAIT cond L0 @1"),
        ("T0|notify(L0)|1", "T0 NOTIFY cond L0 @1"),
        ("T0|notifyAll(L0)|1", "T0 NOTIFY_ALL cond L0 @1"),
        ("T0|broadcast(L0)|1", "T0 NOTIFY_ALL cond L0 @1"),
        ("T20|branch|345", "T20 BRANCH none  @345"),
        ("T0|enter(test/A.b()V)|", "T0 CALL method test/A.b()V"),
        ("T0|r(a(b)c)|1", "T0 READ var a(b)c @1"),
        ("Fädchen|w(größe)|1", "Fädchen WRITE var größe @1"),
        (
            "T0|w(a_name_of_more_than_eight_bytes)|a/file.c:1",
            "T0 WRITE var a_name_of_more_than_eight_bytes @a/file.c:1",
        ),
        ("T0|w(x)|a file.c:3 in f", "T0 WRITE var x @a file.c:3"),
        ("T0|w(x)|1\r", "T0 WRITE var x @1"),
    ],
)
def test_std_dialects(tmp_path: Path, line: str, told: str) -> None:
    before, after = "T0|w(x)|1\n", "T0|r(x)|2"
    assert read(tmp_path, "a.std", f"{before}{line}\n{after}") == ["T0 WRITE var x @1", told, "T0 READ var x @2"]


@pytest.mark.usefixtures("either_way")
def test_threads_that_do_nothing_are_threads_if_they_are_started(tmp_path: Path) -> None:
    path = tmp_path / "a.std"
    path.write_text("T0|fork(T1)|1\nT2|begin|1\nT0|join(3)|1\nT0|fork(T1)|1\n")
    trace = read_trace(path)
    assert sorted(trace.threads) == ["T0", "T1", "T2", "T3"]
    assert [trace.threads[trace.thread_of_target[target]] for target in trace.target] == ["T1", "T2", "T3", "T1"]


def test_speedygo(tmp_path: Path) -> None:
    log = "1,WR,5,A.java:3:1,1\n1,SIG,0,nil,7\n2,WT,0,nil,7\n2,LK,5,nil,1\n2,ARD,5,nil,1\n2,UK,5,nil,1\n2,SIG,0,nil,8\n"
    log += "1,WT,0,nil,8\n1,SIG,0,nil,9\n1,PREBRANCH,0,nil,1\n"
    assert read(tmp_path, "a.log", log) == [
        "1 WRITE var 5 @A.java:3",
        "1 FORK thread 2",
        "2 BEGIN thread 2",
        "2 ACQUIRE lock 5",
        "2 RMW atomic 5",
        "2 RELEASE lock 5",
        "2 END thread 2",
        "1 JOIN thread 2",
        "1 RMW signal 9",
        "1 BRANCH none ",
    ]


def test_focs(tmp_path: Path) -> None:
    text = "Fork 1 2 0\nBegin 2 0 0\nAcq 2 l_0 0\nWrite 2 X_0 1\nRel 2 l_0 0\nEnd 2 0 0\nJoin 1 2 0\nRead 1 X_0 1"
    assert read(tmp_path, "a.txt", text) == [
        "1 FORK thread 2",
        "2 BEGIN thread 2",
        "2 ACQUIRE lock l_0",
        "2 WRITE var X_0='1'",
        "2 RELEASE lock l_0",
        "2 END thread 2",
        "1 JOIN thread 2",
        "1 READ var X_0='1'",
    ]


def test_roadrunner(tmp_path: Path) -> None:
    log = "[main: RoadRunner Agent Loaded.]\n@  main[tid = 0] started .\n@   Start(0,1)\nsome output\n"
    log += "@  Enter(0,test/T.main([Ljava/lang/String;)V) from null\n@    ARd(2,null.test/D.v_I)  Final  D.java:50:7\n"
    assert read(tmp_path, "a.out", log + "@    Acquire(2,@03)\n") == [
        "0 FORK thread 1",
        "0 CALL method test/T.main([Ljava/lang/String;)V",
        "2 READ var null.test/D.v_I @D.java:50",
        "2 ACQUIRE lock @03",
    ]


def test_csv(tmp_path: Path) -> None:
    text = 'thread,op,target,location,value\nT0,write,"a,""b",x.py:3,5\nT0,branch,,,\nT1,begin,,,\n'
    assert read(tmp_path, "a.csv", text) == ["T0 WRITE var a,\"b='5' @x.py:3", "T0 BRANCH none ", "T1 BEGIN thread T1"]


def test_rapidcsv(tmp_path: Path) -> None:
    assert read(tmp_path, "a.csv", "r(V1),,\n,w(V2),\nstart(T2),,\n,,sync(z)\n") == [
        "T0 READ var V1",
        "T1 WRITE var V2",
        "T0 FORK thread T2",
        "T2 ACQUIRE lock VARLOCK-z-KCOLRAV",
        "T2 READ var z",
        "T2 WRITE var z",
        "T2 RELEASE lock VARLOCK-z-KCOLRAV",
    ]


def binary(*words: tuple[int, int, int, int], header: tuple[int, int, int, int] | None = None) -> bytes:
    """RapidBin of (thread, operation, operand, location)."""
    packed = [thread | op << 10 | operand << 14 | place << 48 for thread, op, operand, place in words]
    return struct.pack(">hiiq", *(header or (0, 0, 0, len(words)))) + struct.pack(f">{len(words)}q", *packed)


def test_rapidbin(tmp_path: Path) -> None:
    words = [(0, 6, 0, 0), (0, 4, 1, 5), (1, 8, 2, 6), (1, 0, 2, 6), (1, 3, 1 << 33, 32767), (1, 1, 2, 7), (0, 5, 1, 8)]
    flagged = (-32768, -(1 << 31), 5, -(1 << 63) + len(words))
    assert read(tmp_path, "a.data", binary(*words, header=flagged)) == [
        "T0 BEGIN thread T0 @0",
        "T0 FORK thread T1 @5",
        "T1 REQUEST lock L2 @6",
        "T1 ACQUIRE lock L2 @6",
        f"T1 WRITE var V{1 << 33} @32767",
        "T1 RELEASE lock L2 @7",
        "T0 JOIN thread T1 @8",
    ]


# -- which format a file has ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b"T0|r(x)|1\n", "std"),
        (b"1,RD,4,nil,1\n", "speedygo"),
        (b"Read 1 x 0\n", "focs"),
        (b"@  Rd(0,x)  Final  A.java:1\n", "roadrunner"),
        (b"thread,op\n", "csv"),
        (b",r(x)\n", "rapidcsv"),
        (binary((0, 2, 1, 1)), "rapidbin"),
    ],
)
def test_told_by_content(tmp_path: Path, text: bytes, kind: str) -> None:
    path = tmp_path / "trace"
    path.write_bytes(text)
    with opened(path) as (known, _):
        assert known.name == kind


def test_neither_name_nor_content_tell(tmp_path: Path) -> None:
    path = tmp_path / "trace.txt"
    path.write_text("some prose")
    with pytest.raises(MazurkaError, match="looks like no trace format") as caught, opened(path):
        pass
    assert caught.value.slug == "trace-format"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.std", ""),
        ("a", ""),
        ("a.csv", "thread,op\n"),
        ("a.csv", ""),
        ("a.data", ""),
        ("a.data", struct.pack(">hiiq", 0, 0, 0, 0)),
        ("a.parquet", ""),
        ("a.rr", "[main: RoadRunner Agent Loaded.]\n"),
        ("a.std", b"\xef\xbb\xbf"),
        ("a.std.gz", gzip.compress(b"", mtime=0)),
    ],
)
def test_a_trace_without_events_is_said_to_be_empty(tmp_path: Path, name: str, text: str | bytes) -> None:
    with pytest.raises(MazurkaError, match="it holds no events") as caught:
        read(tmp_path, name, text)
    assert caught.value.slug == "trace-empty"


def test_a_recording_may_be_empty(tmp_path: Path) -> None:
    parquet.Segments(recording := tmp_path / "a.recording", Names([], [])).add(joined([]))
    assert events(recording) == []
    with opened(recording) as (known, parts):
        write_trace(parts, tmp_path / "a.parquet", known)
    assert events(tmp_path / "a.parquet") == []


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("kind", ["csv", "std", "speedygo", "focs", "roadrunner", "rapidcsv"])
@pytest.mark.parametrize("named_so", [True, False])
def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path, kind: str, named_so: bool) -> None:
    text = {
        "csv": b"thread,op,target\nT0,read,x\n",
        "std": STD.encode(),
        "speedygo": b"1,RD,4,nil,1\n",
        "focs": b"Read 1 x 0\n",
        "roadrunner": b"@  Rd(0,x)  Final  A.java:1\n",
        "rapidcsv": b"r(x),\n,r(x)\n",
    }[kind]
    name = "marked" + named(kind).suffixes[0] * named_so
    assert read(tmp_path, name, b"\xef\xbb\xbf" + text) == read(tmp_path, "plain", text)
    assert read(tmp_path, name + ".xz", lzma.compress(b"\xef\xbb\xbf" + text)) == read(tmp_path, "plain", text)
    if kind != "roadrunner":  # to which any other line is the program's output
        with pytest.raises(MazurkaError):
            read(tmp_path, name, text + b"\n\xef\xbb\xbf" + text)


# -- compression ------------------------------------------------------------------------------------------------------

SUFFIXES = [".gz", ".bz2", ".xz", ".zst"]


def compressed(tmp_path: Path, suffix: str) -> tuple[list[str], Path]:
    """The events of a trace, and a compressed file of it, at least 64 KB of which are not compressible."""
    plain, packed = tmp_path / "a.std", tmp_path / f"b.std{suffix}"
    rng = random.Random(1)
    plain.write_text(STD * 1000 + "".join(f"T0|w(x)|{rng.randrange(1 << 60)}\n" for _ in range(2000)))
    with opened(plain) as (known, parts):
        write_trace(parts, packed, known)
    return events(plain), packed


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_compressed(tmp_path: Path, suffix: str) -> None:
    told, packed = compressed(tmp_path, suffix)
    assert packed.stat().st_size < (tmp_path / "a.std").stat().st_size / 2
    assert events(packed) == told
    packed.rename(other := tmp_path / "c.std")  # whatever its name
    assert events(other) == told
    other.write_bytes(other.read_bytes() * 2)
    assert events(other) == told * 2


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_compressed_data_that_is_cut(tmp_path: Path, suffix: str) -> None:
    _, packed = compressed(tmp_path, suffix)
    whole = packed.read_bytes()
    for size in (len(whole) // 2, len(whole) - 3):
        packed.write_bytes(whole[:size])
        with pytest.raises(MazurkaError, match=f"data ends too early, at byte {size};") as caught:
            read_trace(packed)
        assert caught.value.slug == "trace-truncated"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_compressed_data_that_is_damaged(tmp_path: Path, suffix: str) -> None:
    _, packed = compressed(tmp_path, suffix)
    whole = packed.read_bytes()
    middle = len(whole) // 2
    damages = {len(whole): whole + b"more of it", middle: whole[:middle] + bytes(30) + whole[middle + 30 :]}
    for byte, data in damages.items():
        if suffix == ".zst" and byte == len(whole):
            continue  # Arrow, which decompresses it, does not look there
        packed.write_bytes(data)
        with pytest.raises(MazurkaError, match="data is damaged here, or before") as caught:
            read_trace(packed)
        assert caught.value.slug == "trace-malformed"
        shown = int(str(caught.value.where).rpartition(" ")[2])
        assert shown == byte if byte == len(whole) else byte - PIECE < shown < len(whole)


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_padding(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    data = pack(STD.encode())
    assert len(read(tmp_path, f"a.std{suffix}", data + bytes(1024) + data + bytes(512))) == 2 * len(STD.splitlines())


def test_a_python_without_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path := tmp_path / "a.std.xz").write_bytes(lzma.compress(STD.encode()))
    (plain := tmp_path / "a.std").write_text(STD)
    monkeypatch.setitem(sys.modules, "lzma", None)
    with pytest.raises(MazurkaError, match="xz data, which this Python can't read") as caught:
        read_trace(path)
    assert caught.value.slug == "trace-unreadable"
    with opened(plain) as (known, parts), pytest.raises(MazurkaError) as caught:
        write_trace(parts, tmp_path / "b.std.xz", known)
    assert caught.value.slug == "trace-unwritable"
    assert not list(tmp_path.glob("b.std*"))


def test_compressed_parquet(tmp_path: Path) -> None:
    (plain := tmp_path / "a.std").write_text(STD)
    with opened(plain) as (_, parts):
        write_trace(parts, tmp_path / "a.parquet", named("parquet"))
    assert read(tmp_path, "b.parquet.gz", gzip.compress((tmp_path / "a.parquet").read_bytes())) == events(plain)


# -- malformed traces ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "place", "what"),
    [
        ("a.std", "T0|r(x)|1\n\nT0|r(x)|1\n", "2:1", "an empty line"),
        ("a.std", "T0|r(x)\n", "1:8", "2 fields"),
        ("a.std", "T0|r(x)|1|2\n", "1:12", "4 fields"),
        ("a.std", "T0|r(x|1\n", "1:7", "a bracket is not closed"),
        ("a.std", "T0|r(x)|1\n    T1|r(x)|1\n", "2:1", "the line is indented"),
        ("a.std", "T0|read(x)|1\n", "1:4", "no operation is called read"),
        ("a.std", "T0|r|1\n", "1:5", "r needs a target"),
        ("a.std", "T0|r()|1\n", "1:5", "r needs a target"),
        ("a.std", "|r(x)|1\n", "1:1", "no thread name"),
        ("a.std", "T0|(x)|1\n", "1:4", "no operation"),
        ("a.std", "T0|r(a b)|1\n", "1:7", "white space in a name"),
        ("a.std", "T0|r(x)|1\nT0|r(\0)|1\n", "2:6", "a control character"),
        ("a.std", b"T0|r(x)|1\nT0|r(\xff)|1\n", "2:6", "not UTF-8"),
        ("a.std", "T0|r(x)|1\nT0|w(x", "2:7", "2 fields"),
        ("a.speedygo", "1,RD,4,nil\n", "1:11", "4 fields"),
        ("a.speedygo", "1,XX,4,nil,1\n", "1:3", "no operation is called XX"),
        ("a.speedygo", "1,RD,,nil,1\n", "1:6", "RD needs a target"),
        ("a.speedygo", "1,SIG,0,nil,\n", "1:13", "SIG needs a signal"),
        ("a.speedygo", ",RD,4,nil,1\n", "1:1", "no thread name"),
        ("a.focs", "Read 1 x\n", "1:1", "3 words"),
        ("a.focs", "Peek 1 x 0\n", "1:1", "no operation is called Peek"),
        ("a.rr", "@  Rd(0,x)\n", "1:11", "does not end with its kind"),
        ("a.rr", "@  Sleep(0,x)\n", "1:4", "no operation is called Sleep"),
        ("a.rr", "@  nonsense\n", "1:1", "no @ Operation"),
        ("a.csv", "thread,op,target\nT0,read\n", "2:1", "2 fields instead of 3"),
        ("a.csv", "thread,op,target\nT0,peek,x\n", "2:1", "no operation is called peek"),
        ("a.csv", "thread,op,target\nT0,read,\n", "2:1", "read needs a target"),
        ("a.csv", "thread,op,target\n,read,x\n", "2:1", "no thread name"),
        ("a.csv", 'thread,op,target\nT0,read,"x\n', "2:1", "unexpected end of data"),
        ("a.csv", "thread,op,colour\n", "1:1", "a column 'colour'"),
        ("a.csv", "thread,op,op\n", "1:1", "a column 'op'"),
        ("a.csv", "thread,op,target\n\n", "2:1", "fields instead of 3"),
        ("b.csv", "r(x),\n,,w(x)\n", "2:7", "3 columns"),
        ("b.csv", "r(x),w(x)\n", "1:1", "2 events"),
        ("b.csv", "r(x),\n,peek(x)\n", "2:2", "no operation is called peek"),
        ("b.csv", "r(x),\n,w(\n", "2:2", "no event"),
    ],
)
def test_malformed(tmp_path: Path, name: str, text: str | bytes, place: str, what: str) -> None:
    with pytest.raises(MazurkaError) as caught:
        read(tmp_path, name, text)
    error = caught.value
    assert (error.slug, error.exit_status) == ("trace-malformed", 2)
    assert error.where == f"{tmp_path / name}:{place}"
    assert what in error.what


@pytest.mark.parametrize("line", ["T0|r(x)", "T0|peek(x)|1", "T0|r(\0)|1", "T0|r(a b)|1", "", "T0|r(x|1", "|r(x)|1"])
def test_compiled_reader_objects_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    text, told = f"T0|w(x)|1\n{line}\nT0|r(x)|2\n", []
    for small in (std.SMALL, 0):
        monkeypatch.setattr(std, "SMALL", small)
        with pytest.raises(MazurkaError) as caught:
            read(tmp_path, "a.std", text)
        told.append(str(caught.value))
    assert told[0] == told[1]


def test_rapidbin_that_is_not(tmp_path: Path) -> None:
    whole = binary((0, 2, 1, 1), (0, 3, 1, 1))
    for bad, slug, what in (
        (whole[:-1], "trace-truncated", "ends within event 1 of 2"),
        (whole[:10], "trace-truncated", "10 bytes are no header"),
        (whole + b"x", "trace-malformed", "more data"),
        (binary((0, 9, 1, 1)), "trace-malformed", "event 0 has no operation known: 9"),
    ):
        with pytest.raises(MazurkaError) as caught:
            read(tmp_path, "a.data", bad)
        assert (caught.value.slug, what in caught.value.what) == (slug, True)


def test_a_line_of_two_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "a.std"
    with path.open("wb") as file:
        file.write(b"T0|r(x)|1\n")
        file.truncate(2 << 30)
    with pytest.raises(MazurkaError, match=f"a line of more than {LONGEST_LINE:,} bytes") as caught:
        read_trace(path)
    assert caught.value.where == f"{path}:2:1"


def test_a_line_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mazurka.trace.formats.source.BLOCK", 5)
    assert len(read(tmp_path, "a.std", STD)) == 6


def test_more_names_than_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mazurka.trace.formats.gathering.LARGEST", 1)
    numbers: Interning[str] = Interning()
    assert [numbers["a"], numbers["b"]] == [0, 1]
    with pytest.raises(MazurkaError) as caught:
        numbers["c"]
    assert caught.value.slug == "trace-too-large"
    names = byte_names.ByteNames(lambda _, name: name, slots=4)
    assert [names.number(1, name) for name in ("a", "b")] == [0, 1]
    with pytest.raises(MazurkaError) as caught:
        names.grow(largest=2)
    assert caught.value.slug == "trace-too-large"


def test_names_of_bytes() -> None:
    names = byte_names.ByteNames(lambda kind, name: (kind, name), slots=4)
    given = [(kind, name) for kind in (1, 2) for name in ("", "a", "ä", "seven77", "eight888", "x" * 100, "ä" * 100)]
    numbers = [names.number(*each) for each in given]
    assert numbers == list(range(len(given)))
    assert [names.number(*each) for each in given] == numbers
    assert list(names) == given
    assert names[-2:] == given[-2:]
    with pytest.raises(IndexError):
        names[len(given)]


# -- written traces --------------------------------------------------------------------------------------------------


def converted(tmp_path: Path, text: str, kind: str, name: str = "in.csv") -> tuple[Path, list[str]]:
    path, out = tmp_path / name, tmp_path / "out"
    path.write_text(text)
    with opened(path) as (_, parts):
        return out, write_trace(parts, out, named(kind))


def test_what_gets_lost_is_told(tmp_path: Path) -> None:
    text = "thread,op,target,value,location\nT 0,begin,,,\nT 0,write,a b,5,f.c:3\nT 0,request,l,,\nT 0,write,a%20b,6,\n"
    out, lost = converted(tmp_path, text, "std")
    assert lost == ["values", "spaces and such in names, written as %20"]
    names = ["T%200 WRITE var a%20b @f.c:3", "T%200 WRITE var a%2520b"]
    assert [each for each in events(out, "std") if "WRITE" in each] == names
    _, lost = converted(tmp_path, text, "focs")
    escapes = "spaces and such in names, written as %20"
    assert lost == ["1 request event, left out", "locations", escapes, "names of threads, numbered instead"]
    _, lost = converted(tmp_path, text, "rapidbin")
    names = [f"names of {kind}s, numbered instead" for kind in ("thread", "lock", "var")]
    assert lost == [*names, "locations, numbered instead", "values"]


@pytest.mark.parametrize(
    ("kind", "row", "what"),
    [
        ("focs", "T0,branch,,", "branch"),
        ("roadrunner", "T0,wait,c,", "wait"),
        ("rapidbin", "T0,notify,c,", "notify"),
        ("speedygo", "T0,fork,T1,", "T1 started"),
        ("std", "T0,read,l,lock", "read of lock l"),
    ],
)
def test_what_a_format_has_no_word_for(tmp_path: Path, kind: str, row: str, what: str) -> None:
    text = f"thread,op,target,kind\nT1,write,x,\n{row}\n"
    with pytest.raises(MazurkaError) as caught:
        converted(tmp_path, text, kind)
    assert caught.value.slug == "trace-cannot-carry"
    assert f"row 1: {kind} has no place for" in caught.value.what
    assert what in caught.value.what
    assert not (tmp_path / "out").exists()


def test_more_threads_than_rapidbin_numbers(tmp_path: Path) -> None:
    text = "thread,op,target\n" + "".join(f"T{number},write,V0\n" for number in range(1025))
    with pytest.raises(MazurkaError, match="row 1024: rapidbin has no place for more than 1,024 threads"):
        converted(tmp_path, text, "rapidbin")


def test_a_large_file_is_written_and_read_by_the_compiled_reader(tmp_path: Path) -> None:
    path, again = tmp_path / "a.std", tmp_path / "b.std"
    path.write_text("".join(f"T{n % 7}|w(V{n * 37 % 20011}.x{n % 5})|{n % 4000}\n" for n in range(60_000)))
    assert path.stat().st_size > std.SMALL
    trace = read_trace(path)
    assert (len(trace), len(trace.threads)) == (60_000, 7)
    write_trace(parts_of(trace, rows=7000), again, named("std"))
    assert again.read_bytes() == path.read_bytes()


# -- our own format ---------------------------------------------------------------------------------------------------


def test_parquet_is_a_plain_table(tmp_path: Path) -> None:
    out, lost = converted(tmp_path, STD, "parquet", "in.std")
    assert lost == []
    table = pq.read_table(out)
    assert table.column_names == ["thread", "op", "target", "value", "location"]
    assert table.column("target").to_pylist()[:3] == ["thread T1", "thread T1", "lock L1"]
    assert table.column("value").to_pylist() == [None] * 6
    assert events(out, "parquet") == events(tmp_path / "in.std")


def _parquet(path: Path, metadata: dict[str, str] | None, **columns: list[str | None]) -> Path:
    table = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    pq.write_table(table.replace_schema_metadata(metadata), path)
    return path


def test_parquet_that_is_no_trace(tmp_path: Path) -> None:
    row: dict[str, list[str | None]] = {"thread": ["0"], "op": ["read"], "target": ["var x"], "value": [None]}
    full = {**row, "location": [None]}
    ours = {"mazurka.trace": "1"}
    for metadata, columns, slug, what in (
        (None, full, "trace-malformed", "not a Mazurka trace"),
        ({"mazurka.trace": "2"}, full, "trace-version", "of version 2; this Mazurka knows version 1"),
        (ours, row, "trace-malformed", "its columns are not"),
        (ours, {**full, "op": ["peek"]}, "trace-malformed", "no operation is called peek"),
        (ours, {**full, "op": [None]}, "trace-malformed", "a row without op"),
    ):
        path = _parquet(tmp_path / "a.parquet", metadata, **columns)
        with pytest.raises(MazurkaError) as caught:
            read_trace(path)
        assert (caught.value.slug, what in caught.value.what) == (slug, True), caught.value
    assert events(_parquet(tmp_path / "a.parquet", ours, **full)) == ["0 READ var x"]


def test_parquet_cut_short(tmp_path: Path) -> None:
    out, _ = converted(tmp_path, STD, "parquet", "in.std")
    cut = tmp_path / "cut.parquet"
    for size in (3, 100, out.stat().st_size - 1):
        cut.write_bytes(out.read_bytes()[:size])
        with pytest.raises(MazurkaError, match="no readable Parquet") as caught:
            read_trace(cut)
        assert caught.value.slug == "trace-malformed"


def test_a_recording_in_segments(tmp_path: Path) -> None:
    plain, recording = tmp_path / "a.std", tmp_path / "recording"
    plain.write_text(STD)
    trace = read_trace(plain)
    segments = parquet.Segments(recording, parts_of(trace).names)
    for start in (0, 2, 4):
        segments.add(columns_of(trace).select(slice(start, start + 2)))
    assert events(recording) == events(plain)
    (recording / "000003.unfinished").write_bytes(b"PAR1")  # a killed recorder leaves such a file
    assert len(events(recording)) == 6
    (recording / "000003.raw").write_bytes(b"")  # a segment of which no columns were made
    with pytest.raises(MazurkaError, match="not finished"):
        read_trace(recording)
    (recording / "000003.raw").unlink()
    (recording / "000001.parquet").unlink()
    with pytest.raises(MazurkaError, match=r"000001\.parquet is missing") as caught:
        read_trace(recording)
    assert caught.value.slug == "trace-truncated"


def test_a_folder_that_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(MazurkaError, match="no trace in this folder") as caught:
        read_trace(tmp_path)
    assert caught.value.slug == "trace-truncated"


def test_every_operation_survives(tmp_path: Path) -> None:
    """CSV, Parquet and STD have a word for all of them."""
    rows = "".join(f"T0,{op.name.lower()},{'T1' if op.name in ('FORK', 'JOIN') else 'x'}\n" for op in Op)
    source = tmp_path / "in.csv"
    source.write_text("thread,op,target\n" + rows)
    for kind in ("csv", "parquet", "std"):
        out, lost = converted(tmp_path, source.read_text(), kind)
        assert (lost, events(out, kind)) == ([], events(source))


def test_formats_are_told_apart_by_name() -> None:
    assert len({known.name for known in FORMATS}) == len(FORMATS)
    assert all(hasattr(known.module(), "read") and hasattr(known.module(), "write") for known in FORMATS)


def test_parts_of_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.std"
    path.write_text(STD)
    with opened(path) as (_, parts):
        assert len(assemble(parts)) == 6
