"""The cost of `mazurka record --control-flow`, for ten threaded programs in C at -O2.

Each runs plain (`zig cc -O2`, the compiler that the recorder uses), and recorded, one after the other; the overhead
is the ratio of their processor times, in which those of the kernel are. The least time of all repetitions counts on
each side: whatever else the machine does can only add to it. With `--ring` the last 16 MB of each thread are kept.
Bytes are for each conditional branch or switch that was executed, counted by the reference recorder of the tests in
smaller runs.

The last six of the programs were written after the recorder was finished, and measured: +17 % at the median of ten,
+40 % at worst, on a machine that did other work beside it. Since then the way out of a counted loop is stored with its
passes, which they had suggested; with that, on a busier machine, it was +21 and +57 %.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.oracle.flow_reference import built, disagreement, run

from benchmarks.row import ROOT, Row, Settings, middle
from mazurka.flow import raw
from mazurka.flow.building import Source, build, opened, planned
from mazurka.flow.instrument import Options
from mazurka.program.llvm.ir.functions import successors

_FOLDER: Final = ROOT / "benchmarks" / "workloads" / "flow"
#: Name -> the argument for a run that the reference can record.
WORKLOADS: Final = {
    "racey": "20000",
    "table": "20000",
    "interpreter": "100",
    "matrix": "40",
    "pipeline": "300",
    "search": "100000",
    "sorts": "20000",
    "tree": "10000",
    "queens": "8",
    "compress": "3",
}
_WRITTEN_BEFORE: Final = 4
_RING: Final = 16 << 20
_MEDIAN: Final = 15.0
_WORST: Final = 40.0
_BYTES: Final = 0.5
_PLAIN: Final = (
    *("-O2", "-UNDEBUG", "-target", "x86_64-linux-gnu", "-mcpu=x86_64"),
    *("-fno-sanitize=undefined", "-fno-stack-protector", "-lpthread", "-lm"),
)


def measure(settings: Settings) -> Iterator[Row]:
    found: dict[str, float] = {}
    sizes: list[float] = []
    with tempfile.TemporaryDirectory(prefix="mazurka-bench-") as name:
        folder = Path(name)
        for number, workload in enumerate(WORKLOADS):
            source = opened(str(_FOLDER / f"{workload}.c"), (), ("-O2",))
            _build_plain(source, folder)
            plans = [planned(source, elides) for elides in (True, False)]
            build(source, plans[0], Options(), str(folder / "recorded"))
            build(source, plans[1], Options(ring=True), str(folder / "ring"))
            times = [
                (
                    _seconds(folder / "plain"),
                    _recorded(source, folder / "recorded"),
                    _recorded(source, folder / "ring", _RING),
                )
                for _ in range(settings.repetitions)
            ]
            plain, recorded, ring = (min(each) for each in zip(*times, strict=True))
            found[workload] = 100 * (recorded / plain - 1)
            ratios = [100 * (each[1] / each[0] - 1) for each in times]
            when = "" if number < _WRITTEN_BEFORE else ", written after the recorder"
            note = f"plain {plain:.2f} s; ring {100 * (ring / plain - 1):+.0f} %{when}"
            yield Row(f"recorded: {workload}", "", f"{found[workload]:+.1f} %", middle(ratios, " %")[1], note)
            written, kept = _bytes_a_branch(workload, folder)
            sizes.append(written)
            note = f"in the finished recording: {kept:.2f}"
            yield Row("  bytes a branch, written", f"under {_BYTES}", f"{written:.2f}", "", note, written < _BYTES)
    median, worst = statistics.median(found.values()), max(found, key=lambda each: found[each])
    yield Row("overhead, median of ten", f"under {_MEDIAN:.0f} %", f"{median:+.1f} %", holds=median < _MEDIAN)
    yield Row("overhead, worst", f"under {_WORST:.0f} %", f"{found[worst]:+.1f} %", "", worst, found[worst] < _WORST)
    yield Row("bytes a branch, written, median of ten", f"under {_BYTES}", f"{statistics.median(sizes):.2f}")


def _build_plain(source: Source, folder: Path) -> None:
    command = [sys.executable, "-m", "ziglang", "cc", *_PLAIN, source.files[0], "-o", str(folder / "plain")]
    subprocess.run(command, check=True)


def _recorded(source: Source, program: Path, ring: int = 0) -> float:
    output = program.with_suffix(".flow")
    with output.open("wb") as stream:
        control = raw.begin(stream, {}, source.text)
    return _seconds(program, f"{control}:{ring}:{1 << 20}:{output}")


def _seconds(program: Path, recording: str = "") -> float:
    """Processor time of one run."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [program],
        env={**os.environ, "MAZURKA_FLOW": recording} if recording else None,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime - spent.ru_utime - spent.ru_stime


def _bytes_a_branch(workload: str, folder: Path) -> tuple[float, float]:
    """Bytes that threads write for each branch that they execute, and those of the finished recording."""
    path = folder / f"{workload}.c"
    path.write_text((_FOLDER / path.name).read_text())
    both = run(built(path, ["-O2"]), [WORKLOADS[workload]])
    if words := disagreement(both):
        raise AssertionError(f"{workload}: {words}")
    branches = {
        (name, number)
        for name, own in both.plan.functions.items()
        for number, block in enumerate(own.function.blocks)
        if len(successors(block)) > 1
    }
    executed = sum(block in branches for blocks in both.blocks.values() for block in blocks)
    chunks = [chunk.data for thread in both.recording.threads for chunk in thread.chunks]
    return sum(map(len, chunks)) / executed, sum(len(zlib.compress(chunk, 1)) for chunk in chunks) / executed
