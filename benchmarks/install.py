"""The size of an installation, the time that it takes, and the cost of first commands in it.

A fresh environment gets `pip install .`, and another one the extras, too. Sizes are of all files that the installation
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

_EXTRAS: Final = "numba,arrow,z3,mcp"
_TIMED: Final = "import time; t = time.process_time(); import mazurka; print((time.process_time() - t) * 1000)"


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
