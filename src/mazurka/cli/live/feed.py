"""The messages of a check as events of its live page, in JSON, in the process that serves the page.

An event is a pair of its kind and its data: ``begin`` (a target), ``sample`` (of the search), ``note``, ``finding`` (as
in the JSON report, with its sources; a later one of the same fingerprint replaces it), ``report`` (the whole JSON
report, also of the targets until now) and ``over``. A failure is explained after the search, as the program runs only
for the search until then; it has a page before that which says so.

Of a long search fewer and fewer samples become events: :data:`_SHARE` of the time since it began lies between two.
"""

from __future__ import annotations

import json
import pickle
import socket
import threading
from dataclasses import field
from time import monotonic
from typing import Any, BinaryIO, Final

from mazurka.cli.live.server import Server
from mazurka.explore.outcome import FailingExecution
from mazurka.lazy_dataclass import dataclass
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.explain import unexplained
from mazurka.report.finding import Finding
from mazurka.report.render_html import live_page, shortened
from mazurka.report.render_json import report_data
from mazurka.report.search_history import SearchSample

_SHARE: Final = 1 / 400

_LATER: Final = "The search goes on. This failure is explained when it has ended."


def serve(listening: socket.socket, token: str, messages: BinaryIO, unopened: float) -> None:
    """Serve the page of a check until its messages end, and an open page has got the last event; if none has been
    opened, for so many seconds more."""
    feed = Feed(Server(listening, token, live_page().encode()))
    threading.Thread(target=feed.server.serve, daemon=True).start()
    try:
        while True:
            feed.take(pickle.load(messages))  # written by the process that started this one
    except EOFError:
        feed.server.events.end(unopened)


@dataclass(slots=True)
class Feed:
    """Makes events of messages."""

    server: Server
    _explained: set[str] = field(default_factory=set)
    _begun: float = field(default_factory=monotonic)
    _next: float = 0.0

    def take(self, message: tuple[Any, ...]) -> None:
        """Make an event of a message, if it is one for the page."""
        match message:
            case ("begin", str() as target, str() as strategy, str() as memory_model):
                self._begun, self._next = monotonic(), 0.0
                self._add("begin", {"target": target, "strategy": strategy, "memory_model": memory_model})
            case ("sample", SearchSample() as sample, bool() as deciding):
                self._sample(sample, deciding)
            case ("note", str() as text):
                self._add("note", text)
            case ("found", FailingExecution() as failing):
                finding = unexplained(failing.failure, _LATER)
                if finding.fingerprint not in self._explained:
                    self._finding(finding)
            case ("explained", Finding() as finding):
                self._explained.add(finding.fingerprint)
                self._finding(finding)
            case ("report", CheckReport() as report, *rest):
                self._add("report", shortened(report_data(report)))
                if rest == [True]:
                    self._add("over", None)

    def _sample(self, sample: SearchSample, deciding: bool) -> None:
        now = monotonic()
        if now < self._next:
            return
        self._next = now + _SHARE * (now - self._begun)
        estimate = None if sample.estimate is None else round(sample.estimate)
        counts = [sample.executions, sample.points, sample.failures, estimate, sample.frontier]
        self._add("sample", [round(sample.seconds, 3), *counts, deciding])

    def _finding(self, finding: Finding) -> None:
        data = report_data(CheckReport("", Verdict.VIOLATION, findings=(finding,)))
        self._add("finding", {"finding": shortened(data["failures"][0]), "sources": shortened(data["sources"])})

    def _add(self, kind: str, value: Any) -> None:
        self.server.events.add(json.dumps([kind, value], separators=(",", ":")).encode("ascii"))
