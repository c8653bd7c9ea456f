"""Traces that come through pipes, and go through them: standard input and output, FIFOs."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RACE = b"a|w(x)|1\nb|w(x)|2\n"


@pytest.fixture
def piped(shell: Any) -> Callable[..., tuple[int, bytes, str]]:
    """Runs a command with this for its standard input: status, standard output and error."""

    def run(given: bytes, *arguments: str) -> tuple[int, bytes, str]:
        command = shell.command("mazurka", *arguments)
        done = subprocess.run(
            command, input=given, cwd=shell.folder, env=shell.variables(), capture_output=True, check=False
        )
        return done.returncode, done.stdout, done.stderr.decode()

    return run


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("predict", "-"), 1, b"1 race location"),
        (("trace", "info", "-"), 0, b"-: std, 2 events, 2 threads"),
        (("trace", "check", "-"), 0, b"-: std, well-formed"),
        (("trace", "head", "-n", "1", "-"), 0, b"0  a        write      var x  (1)"),
        (("convert", "-", "out.csv"), 0, b"wrote 2 events to out.csv (csv)"),
    ],
)
def test_every_command_reads_standard_input(
    piped: Callable[..., tuple[int, bytes, str]], arguments: tuple[str, ...], status: int, said: bytes
) -> None:
    ended, out, _ = piped(RACE, *arguments)
    assert ended == status
    assert said in out


@pytest.mark.parametrize("kind", ["std", "csv", "parquet", "rapidbin"])
def test_there_and_back(piped: Callable[..., tuple[int, bytes, str]], kind: str) -> None:
    ended, made, said = piped(RACE, "convert", "-", "-", "--to", kind)
    assert ended == 0
    assert said.startswith(f"wrote 2 events to - ({kind})\n")
    ended, again, _ = piped(made, "convert", "-", "-", "--to", "std")
    assert (ended, again.replace(b"T0", b"a").replace(b"T1", b"b").replace(b"V0", b"x")) == (0, RACE)


def test_a_fifo(shell: Any, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "in")
    os.mkfifo(tmp_path / "out")
    read: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: (tmp_path / "in").write_bytes(RACE)),
        threading.Thread(target=lambda: read.append((tmp_path / "out").read_bytes())),
    ]
    for thread in threads:
        thread.start()
    shell.run("convert", str(tmp_path / "in"), str(tmp_path / "out"), "--to", "std", status=0)
    for thread in threads:
        thread.join()
    assert read == [RACE]
    assert (tmp_path / "out").is_fifo()


def test_what_is_wrong_is_wrong_with_standard_input(piped: Callable[..., tuple[int, bytes, str]]) -> None:
    ended, _, said = piped(RACE + b"?\n", "predict", "-", "--from", "std")
    assert ended == 2
    assert "standard input:3:2: 1 fields" in said
    ended, _, said = piped(b"", "predict", "-")
    assert ended == 2
    assert "standard input: it holds no events" in said
