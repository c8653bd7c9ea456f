"""Without the packages that only extras install: first commands work, others name the extra."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]

#: Read by Python as it starts: imports of the packages fail as if they were not installed.
_BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"numba", "llvmlite", "pyarrow", "z3", "distributed", "mcp"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
"""

_LOST = """
import threading

class Account:
    def __init__(self):
        self.balance = 0

def pay(account):
    account.balance += 1

def test_payments():
    account = Account()
    threads = [threading.Thread(target=pay, args=(account,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert account.balance == 2

if __name__ == "__main__":
    test_payments()
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked" / "sitecustomize.py").write_text(_BLOCKED)
    (tmp_path / "test_lost.py").write_text(_LOST)
    return tmp_path


def run(place: Path, *arguments: str, module: str = "mazurka") -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(place / "blocked"), str(_ROOT / "src")])
    environment = os.environ | {"PYTHONPATH": path}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)


def test_the_packages_are_blocked(place: Path) -> None:
    (place / "imports.py").write_text("import numba")
    assert "No module named 'numba'" in run(place, module="imports").stderr


def test_a_check_a_replay_and_pytest(place: Path) -> None:
    checked = run(place, "check", "test_lost.py")
    assert checked.returncode == 1, checked.stderr
    assert "Lost update" in checked.stdout
    (schedule,) = (place / ".mazurka" / "failures").glob("*.json")
    assert run(place, "replay", str(schedule)).stdout.startswith("reproduced")
    tested = run(place, "--mazurka", "-p", "no:cacheprovider", "test_lost.py", module="pytest")
    assert tested.returncode == 1, tested.stdout + tested.stderr
    assert "Lost update" in tested.stdout


def test_a_recording_and_its_predictions(place: Path) -> None:
    recorded = run(place, "record", "test_lost.py", "-o", "lost.recording")
    assert recorded.returncode == 0, recorded.stderr
    predicted = run(place, "predict", "lost.recording", "--confirm", "--kind", "races,atomicity")
    assert predicted.returncode == 1, predicted.stderr
    assert "nothing orders accesses of Account#1.balance" in predicted.stdout
    written = run(place, "convert", "lost.recording", "lost.csv")
    assert written.returncode == 0, written.stderr
    assert run(place, "predict", "lost.csv").returncode == 1


def test_a_long_trace_is_interpreted(place: Path) -> None:
    lines = ["T0|fork(T1)|0", "T0|fork(T2)|0", "T1|w(x)|1"]
    for number in range(30_000):
        thread = f"T{1 + number % 2}"
        lines += [f"{thread}|acq(l)|2", f"{thread}|r(y)|3", f"{thread}|rel(l)|4"]
    (place / "long.std").write_text("\n".join([*lines, "T2|w(x)|5", ""]))
    predicted = run(place, "predict", "long.std")
    assert predicted.returncode == 1, predicted.stderr
    assert "1 race location" in predicted.stdout
    assert "pip install 'mazurka[numba]'" in predicted.stderr


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("arguments", "package", "extra"),
    [
        (("check", "test_lost.py", "--solver", "z3", "--strategy", "mcr"), "solver z3 needs z3", "z3"),
        (("predict", "small.std", "--engine", "hb"), "stage hb needs numba", "numba"),
        (("predict", "small.std", "--engine", "syncp", "--kind", "deadlocks"), "stage spd needs numba", "numba"),
        (("predict", "other.parquet"), "a Parquet file of another program needs pyarrow", "arrow"),
        (("mcp",), "mazurka mcp needs mcp", "mcp"),
        (("predict", "small.std.zst"), "zstd data needs pyarrow", "arrow"),
        (("convert", "small.std", "new.std.zst"), "zstd data needs pyarrow", "arrow"),
    ],
)
def test_what_needs_an_extra_names_it(place: Path, arguments: tuple[str, ...], package: str, extra: str) -> None:
    (place / "small.std").write_text("T1|fork(T2)|1\nT1|w(x)|2\nT2|w(x)|3\n")
    for name in ("other.parquet", "small.std.zst"):
        _write_with_arrow(place, name)
    failed = run(place, *arguments)
    assert failed.returncode == 2
    assert f"{package}, which is not installed; pip install 'mazurka[{extra}]'" in failed.stderr
    assert "(missing-extra: see `mazurka explain missing-extra`)" in failed.stderr
    assert "Traceback" not in failed.stderr
    assert not (place / "new.std.zst").exists()


def _write_with_arrow(place: Path, name: str) -> None:
    script = textwrap.dedent(
        """
        import sys
        import pyarrow as pa
        import pyarrow.parquet as pq
        if sys.argv[1].endswith(".zst"):
            with pa.CompressedOutputStream(sys.argv[1], "zstd") as out:
                out.write(b"T1|fork(T2)|1\\n")
        else:
            pq.write_table(pa.table({"thread": ["T1"]}), sys.argv[1])
        """
    )
    subprocess.run([sys.executable, "-c", script, str(place / name)], check=True)
