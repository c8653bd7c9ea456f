"""Traces for Perfetto and chrome://tracing: a track per thread, arrows for values and locks that threads hand over.

Format: "Trace Event Format" (Google, 2016), JSON object format, as https://ui.perfetto.dev reads it. Each finding is a
process. A step is a slice of nine microseconds; time is the number of the step in the order in which it happens, since
a model checker has no other. Flow events lead from the write to the read of a value by another thread, from the release
of a lock to its acquire, from the start of a thread to its first step, from its last step to its join, and from a
notification to the thread that it wakes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import mazurka
from mazurka.lazy_dataclass import dataclass
from mazurka.report.finding import Finding
from mazurka.report.report import Report
from mazurka.report.steps import ARROWS, ExportedStep, arrows_of, steps_of
from mazurka.report.words import one_line

#: Microseconds from a step to the next one, and of a step.
_PACE: Final = 10
_LENGTH: Final = 9


def make(*, width: int, colour: bool) -> PerfettoRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return PerfettoRenderer()


@dataclass(frozen=True, slots=True)
class PerfettoRenderer:
    """One trace of all findings."""

    def render(self, report: Report) -> str:
        """The whole report, an event a line."""
        numbers = iter(range(1, 1 << 62))
        events = [event for pid, each in enumerate(report.findings, 1) for event in _events(each, pid, report, numbers)]
        facts = {"mazurka": mazurka.__version__, **{name: str(value) for name, value in report.facts.items()}}
        listed = ",\n".join(json.dumps(event, separators=(",", ":")) for event in events)
        head = json.dumps({"displayTimeUnit": "ns", "otherData": facts})[:-1]
        return f'{head}, "traceEvents": [\n{listed}\n]}}\n' if events else f'{head}, "traceEvents": []}}\n'


def _events(finding: Finding, pid: int, report: Report, numbers: Iterator[int]) -> Iterator[dict[str, Any]]:
    steps = steps_of(finding, report)
    threads = {step.thread: step.label for step in steps}
    tids = {thread: tid for tid, thread in enumerate(threads, 1)}
    yield _metadata("process_name", pid, 0, name=one_line(f"{finding.kind}: {finding.message}"))
    yield _metadata("process_sort_index", pid, 0, sort_index=pid)
    for thread, tid in tids.items():
        yield _metadata("thread_name", pid, tid, name=_called(thread, threads[thread]))
        yield _metadata("thread_sort_index", pid, tid, sort_index=tid)
    at: dict[int, tuple[int, int]] = {}
    for place, step in enumerate(steps):
        at.setdefault(step.number, (tids[step.thread], place * _PACE))
        yield {
            "ph": "X",
            "pid": pid,
            "tid": tids[step.thread],
            "ts": place * _PACE,
            "dur": _LENGTH,
            "name": step.text,
            "cat": "conflict" if step.is_conflicting else "relevant" if step.is_relevant else "step",
            "args": _arguments(step),
        }
    for arrow in arrows_of(finding):
        name = ARROWS.get(arrow.reason, arrow.reason.value)
        shared = {"pid": pid, "id": next(numbers), "name": name, "cat": name, "args": {"target": arrow.target}}
        for phase, (tid, ts) in (("s", at[arrow.first]), ("f", at[arrow.second])):
            yield {"ph": phase, "tid": tid, "ts": ts, **shared, **({"bp": "e"} if phase == "f" else {})}


def _called(thread: str, label: str) -> str:
    return label if label == thread else f"{label} ({thread})"


def _arguments(step: ExportedStep) -> dict[str, Any]:
    given = {
        "step": step.number,
        "operation": step.operation,
        "target": step.target,
        "value": step.value,
        "place": step.place,
        "source": step.source,
        "held": ", ".join(step.held),
    }
    return {name: value for name, value in given.items() if value != ""}


def _metadata(event: str, pid: int, tid: int, **arguments: Any) -> dict[str, Any]:
    return {"ph": "M", "pid": pid, "tid": tid, "ts": 0, "name": event, "args": arguments}
