"""`mazurka convert` and `mazurka trace`: their output, their status, and files with misleading names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from mazurka.cli import run

STD = "T0|fork(T1)|a.c:1\nT1|acq(L)|a.c:2\nT1|w(x)|a.c:3\nT1|rel(L)|a.c:4\nT0|r(x)|a.c:5\n"
ODD = "T0|acq(L)|1\nT0|acq(L)|2\nT0|rel(L)|3\nT0|rel(K)|4\n"


@dataclass(frozen=True, slots=True)
class Said:
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Shell:
    """The command line in this process, in a folder of its own."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def run(self, *arguments: str, status: int) -> Said:
        ended = run(list(arguments))
        said = self.capsys.readouterr()
        assert ended == status, said.err
        return Said(said.out, said.err)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


@pytest.fixture
def trace(shell: Shell) -> str:
    shell.write("trace.std", STD)
    return "trace.std"


def test_convert_and_back(shell: Shell, trace: str) -> None:
    done = shell.run("convert", trace, "trace.parquet", status=0)
    assert done.stdout == "wrote 5 events to trace.parquet (parquet)\n"
    shell.run("convert", "trace.parquet", "again.std.gz", status=0)
    shell.run("convert", "again.std.gz", "again.std", status=0)
    assert (shell.folder / "again.std").read_text() == STD


def test_convert_tells_what_got_lost(shell: Shell, trace: str) -> None:
    done = shell.run("convert", trace, "out", "--to", "focs", status=0)
    assert done.stdout.splitlines() == [
        "wrote 5 events to out (focs)",
        "  lost: locations",
        "  lost: names of threads, numbered instead",
        "  lost: that 2 values are not known (invented: a read can only see the write that it saw)",
    ]


def test_repair_tells_what_it_did(shell: Shell) -> None:
    shell.write("odd.std", ODD)
    done = shell.run("convert", "--repair", "odd.std", "mended.std", status=0)
    assert done.stdout.splitlines() == [
        "mended: locks held before the trace acquired at its beginning: 1 (rows 3)",
        "mended: inner acquires and releases dropped: 2 (rows 1, 2)",
        "mended: locks held to the end given back: 1 (rows 0)",
        "wrote 4 events to mended.std (std)",
    ]
    assert shell.run("trace", "check", "mended.std", status=0).stdout == "mended.std: std, well-formed\n"


def test_check_tells_rows(shell: Shell) -> None:
    shell.write("odd.std", ODD)
    done = shell.run("trace", "check", "odd.std", status=1)
    assert "1 x takes a lock that it has:\n  row 1, T0: lock L\n" in done.stdout
    assert "1 x gives back a lock that it does not have:\n  row 3, T0: lock K\n" in done.stdout


def test_info(shell: Shell, trace: str) -> None:
    done = shell.run("trace", "info", trace, status=0)
    assert done.stdout.startswith("trace.std: std, 5 events, 2 threads\n")
    assert "1 lock(s)" in done.stdout
    assert done.stdout.endswith("5 locations, of all events; no events have values\n")


def test_head(shell: Shell, trace: str) -> None:
    done = shell.run("trace", "head", "-n", "2", "--first", "1", trace, status=0)
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["1", "T1", "acquire", "lock", "L", "(a.c:2)"],
        ["2", "T1", "write", "var", "x", "(a.c:3)"],
    ]
    assert shell.run("trace", "head", "-n", "0", trace, status=0).stdout == ""


def test_head_reads_no_further(shell: Shell) -> None:
    """What comes after the rows asked for may be anything."""
    shell.write("long.std", f"T0|w({'x' * 200})|1\n" * 30_000 + "nonsense\n")
    assert len(shell.run("trace", "head", "long.std", status=0).stdout.splitlines()) == 10


@pytest.mark.parametrize(
    ("name", "content", "slug"),
    [
        ("a.std", b"T0|r(x)|1\nT0|r(x\n", "trace-malformed"),
        ("a.std", b"\x7fELF\x02\x01\x01\0\0", "trace-malformed"),
        ("a.data", b"\0\1", "trace-truncated"),
        ("a.std", b"\x1f\x8b\x08\0\0\0\0\0", "trace-truncated"),
        ("a.parquet", b"PAR1PAR1", "trace-malformed"),
        ("a", b"prose", "trace-format"),
    ],
)
def test_files_that_are_none(shell: Shell, name: str, content: bytes, slug: str) -> None:
    (shell.folder / name).write_bytes(content)
    for verb in (("trace", "info", name), ("trace", "check", name), ("convert", name, "out.csv")):
        done = shell.run(*verb, status=2)
        assert done.stdout == ""
        assert f"mazurka explain {slug}" in done.stderr
        assert name in done.stderr
    assert sorted(path.name for path in shell.folder.iterdir()) == [name]


def test_what_is_asked_wrongly(shell: Shell, trace: str) -> None:
    assert "no-such-file" in shell.run("trace", "info", "missing.std", status=2).stderr
    assert "--to" in shell.run("convert", trace, "out.what", status=2).stderr
    assert "compressed already" in shell.run("convert", trace, "out.parquet.gz", status=2).stderr
    assert "trace-unwritable" in shell.run("convert", trace, "no/such/folder.std", status=2).stderr


def test_unreadable(shell: Shell, trace: str) -> None:
    (shell.folder / "loop.std").symlink_to("loop.std")
    done = shell.run("trace", "info", "loop.std", status=2)
    assert "explain no-such-file" in done.stderr or "explain trace-unreadable" in done.stderr
