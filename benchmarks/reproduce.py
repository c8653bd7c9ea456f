"""What the recorded paths spare `mazurka reproduce`: the executions that `dpor` needs with the paths as facts, against
those without, for the same target, an execution that fails as recorded and in which no thread takes another way.

Each of the programs is recorded natively until it fails; `--repetitions` says how many recordings of each are tried. A
search that reaches the limit of `--seconds` counts with the executions made until then: where only the one without
paths does, the ratio is an upper bound, and where the one with them does, the recording counts as not reproduced. The
targets of users are less strict: `mazurka reproduce --no-path` takes any failure of that thread at that place, and
needs fewer executions for most of these programs (2 rather than 229 for bbuf).
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.row import ROOT, Row, Settings
from mazurka.config import Options
from mazurka.flow.building import opened
from mazurka.flow.running import Limits, record
from mazurka.workflows.checking import NullObserver
from mazurka.workflows.reproducing import Answer, reproduce

_FOLDER: Final = ROOT / "benchmarks" / "programs" / "reproduce"
#: The programs, and whether they hang natively.
_PROGRAMS: Final = {
    "bbuf": False,
    "sbuf": False,
    "pfscan": False,
    "pbzip2": False,
    "use_after_free": False,
    "deadlock": True,
    "lost_wakeup": True,
}
_ATTEMPTS: Final = 200
_DEMANDED: Final = 0.5


def measure(settings: Settings) -> Iterator[Row]:
    """The executions with the paths against those without, for each program, and the median of all recordings."""
    ratios, missed = list[float](), 0
    for name, hangs in _PROGRAMS.items():
        counts = []
        with tempfile.TemporaryDirectory() as folder:
            for number in range(settings.repetitions):
                path = os.path.join(folder, f"{number}.flow")
                _record(str(_FOLDER / f"{name}.c"), path, hangs)
                with_paths, found = _executions(path, settings.seconds, steers=True)
                without, also = _executions(path, settings.seconds, steers=False)
                missed += not found
                ratios.append(with_paths / without)
                counts.append(f"{with_paths}{'' if found else '-'} against {without}{'' if also else '+'}")
        yield Row(f"{name}: executions with paths against without", "", counts[0], note="; ".join(counts[1:]))
    yield Row("recordings not reproduced so", "0", str(missed), holds=not missed)
    median = statistics.median(ratios)
    yield Row(
        "executions with paths, of those without, median",
        f"<= {_DEMANDED}",
        f"{median:.2f}",
        f"{min(ratios):.3f} to {max(ratios):.2f}",
        holds=median <= _DEMANDED,
    )


def _record(source: str, path: str, hangs: bool) -> None:
    program = opened(source, (), ())
    for _ in range(_ATTEMPTS):
        ending = record(program, (), path, Limits(seconds=1.0)).ending
        if ending.timed_out is hangs and ending.status:
            return
        Path(path).unlink()
    raise AssertionError(f"{source} has not failed in {_ATTEMPTS} runs")


def _executions(path: str, seconds: float, *, steers: bool) -> tuple[int, bool]:
    """How many executions a search makes, and whether it reproduces the failure."""
    options = Options(strategy="dpor", time_limit=seconds, save=False)
    attempt = reproduce(path, options, watcher=NullObserver(), steers=steers, strict=True)
    return attempt.report.executions, attempt.answer is Answer.REPRODUCED
