"""Whether Perfetto's own trace processor reads the export of a finding, and answers SQL queries about it.

The wheel ``perfetto`` (in ``requirements-bench.lock``) has no binary: it downloads one, pinned by its hash, when it is
first used with a network. Here nothing is downloaded: the binary is that of ``PERFETTO_TRACE_PROCESSOR``, or the one
that the wheel has kept (``~/.local/share/perfetto``); without one the row says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.row import ROOT, SRC, Row, Settings

_KEPT: Final = Path.home() / ".local" / "share" / "perfetto"

_ASKS: Final = """
import json, sys
from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

with TraceProcessor(trace=sys.argv[1], config=TraceProcessorConfig(bin_path=sys.argv[2])) as asked:
    def number(query):
        return next(iter(asked.query(f"select count(*) as n from {query}"))).n
    print(json.dumps([number("thread where tid > 0"), number("slice"), number("flow")]))
"""


def measure(settings: Settings) -> Iterator[Row]:
    binary = _binary()
    if binary is None or not settings.frontrun:
        note = "no trace processor: set PERFETTO_TRACE_PROCESSOR" if binary is None else "make bench runs it"
        yield Row("export in Perfetto", "read", "not asked", note=note)
        return
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "trace.json")
        command = [sys.executable, "-m", "mazurka", "check", str(ROOT / "examples" / "bank.py"), "--no-save", "--quiet"]
        environment = os.environ | {"PYTHONPATH": str(SRC)}
        subprocess.run([*command, "--output", f"perfetto:{trace}"], cwd=folder, env=environment, check=False)
        events = json.loads(trace.read_text())["traceEvents"]
        phases = [event["ph"] for event in events]
        expected = [
            sum(event["name"] == "thread_name" for event in events),
            phases.count("X"),
            phases.count("s"),
        ]
        asked = [settings.frontrun, "-c", _ASKS, str(trace), binary]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        answers = json.loads(done.stdout) if done.returncode == 0 else []
        words = "{} threads, {} slices, {} flows"
        yield Row(
            "export in Perfetto",
            words.format(*expected),
            words.format(*answers) if answers else "not read",
            note=done.stderr.strip().splitlines()[-1] if done.returncode else "",
            holds=answers == expected,
        )


def _binary() -> str | None:
    given = os.environ.get("PERFETTO_TRACE_PROCESSOR")
    kept = [path for path in _KEPT.rglob("trace_processor_shell*") if os.access(path, os.X_OK)]
    return given or (str(kept[-1]) if kept else None)
