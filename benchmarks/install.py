"""The size of an installation, the time that it takes, and the cost of first commands in it.

A fresh environment gets `pip install .`, and another one all extras, too, with which `check`, `predict`, `check` of a C
program and `mcp` have to work. Sizes are of all files that the installation
adds, compiled modules included. Times are of the clock: the packages come from pip's cache or from the index. In the
base environment a first `mazurka check` has to find the bug of ``examples/bank.py``, and `import mazurka` is timed in
processes of their own: their processor time, which a busy machine sways less.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.row import ROOT, Row, Settings, middle

#: Megabytes that `pip install .` added while numba, PyArrow and z3 were no extras; half of it is demanded.
_BEFORE: Final = 580

#: Milliseconds that `import mazurka` may take.
_IMPORT: Final = 50

_EXTRAS: Final = "all"
_TIMED: Final = "import time; t = time.process_time(); import mazurka; print((time.process_time() - t) * 1000)"


#: Asks the server for assistants to check a program, by the client of the protocol's SDK.
_ASKED: Final = """
import asyncio, sys
from mcp import Client, StdioServerParameters

async def ask():
    server = StdioServerParameters(command=sys.executable, args=["-m", "mazurka", "mcp"], cwd=sys.argv[1])
    async with Client(server) as client:
        print(await client.call_tool("check", {"targets": [sys.argv[2]]}))

asyncio.run(ask())
"""

#: Commands with all extras, by name: the arguments of the interpreter, and a text that they have to print.
_COMMANDS: Final = {
    "check": (["-m", "mazurka", "check", str(ROOT / "examples" / "bank.py"), "--no-save"], "Lost update"),
    "predict": (["-m", "mazurka", "predict", str(ROOT / "examples" / "traces" / "transfer.std")], "race"),
    "check prog.c": (["-m", "mazurka", "check", "prog.c", "--no-save"], "violation"),
    "mcp": (["-c", _ASKED, ".", str(ROOT / "examples" / "bank.py")], "lost update"),
}

_C_PROGRAM: Final = """
#include <assert.h>
#include <pthread.h>

static int total;

static void *add(void *unused) {
    total = total + 1;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, add, 0);
    pthread_create(&two, 0, add, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(total == 2);
}
"""


def measure(settings: Settings) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        base, whole = Path(folder, "base"), Path(folder, "whole")
        size, seconds = _installed(base, ".")
        note = "pip install ."
        yield Row("base install, size", f"<= {_BEFORE / 2:.0f} MB", f"{size} MB", note=note, holds=size <= _BEFORE / 2)
        yield Row("base install, time", "", f"{seconds:.1f} s", note=note)
        size, seconds = _installed(whole, f".[{_EXTRAS}]")
        note = f"pip install '.[{_EXTRAS}]'"
        yield Row("with extras, size", "", f"{size} MB", note=note)
        yield Row("with extras, time", "", f"{seconds:.1f} s", note=note)
        Path(folder, "prog.c").write_text(_C_PROGRAM)
        for name, (arguments, expected) in _COMMANDS.items():
            asked = [str(whole / "bin" / "python"), *arguments]
            done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False)
            works = expected in done.stdout
            note = "" if works else (done.stderr.strip().splitlines() or ["no output"])[-1]
            yield Row(f"with extras, {name}", "works", "works" if works else "fails", note=note, holds=works)
        python = base / "bin" / "python"
        command = [str(python), "-m", "mazurka", "check", str(ROOT / "examples" / "bank.py"), "--no-save"]
        begun = time.perf_counter()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - begun
        found = done.returncode == 1 and "Lost update" in done.stdout
        yield Row("first check in it", "finds the bug", f"{seconds:.1f} s", holds=found)
        times = [float(_output(python, "-c", _TIMED)) for _ in range(1 + settings.repetitions)][1:]
        median, spread = middle(times, " ms")
        yield Row(
            "import mazurka, processor time",
            f"< {_IMPORT} ms",
            median,
            spread,
            holds=sorted(times)[len(times) // 2] < _IMPORT,
        )


def _installed(place: Path, wanted: str) -> tuple[int, float]:
    """Install into a new environment; returns the megabytes that this adds, and the seconds."""
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    before = _megabytes(place)
    begun = time.perf_counter()
    _output(place / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted)
    return round(_megabytes(place) - before), time.perf_counter() - begun


def _output(python: Path, *arguments: str) -> str:
    return subprocess.run([str(python), *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def _megabytes(place: Path) -> float:
    return sum(file.lstat().st_size for file in place.rglob("*") if file.is_file() and not file.is_symlink()) / 1e6
