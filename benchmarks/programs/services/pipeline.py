"""A pipeline: a reader, two parsers and a writer, with a bounded queue between each two, and a report of all.

Seeded (premature end): a parser that meets the end of the input passes it on to the writer at once, though the other
parser may still have a line: the writer ends too soon and a line is lost. Repaired: the last parser passes it on.
"""

import queue
import sys
import threading
from dataclasses import dataclass

REPAIRED = "repaired" in sys.argv
PARSERS = 2


@dataclass(frozen=True)
class Record:
    key: str
    value: int


class Report:
    """What the stages did."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.parsed = 0
        self.bad: list[str] = []

    def good(self) -> None:
        with self.lock:
            self.parsed += 1

    def failed(self, line: str) -> None:
        with self.lock:
            self.bad.append(line)


class Pipeline:
    """The stages and the queues between them."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.raw: queue.Queue[str | None] = queue.Queue(maxsize=2)
        self.records: queue.Queue[Record | None] = queue.Queue(maxsize=2)
        self.report = Report()
        self.lock = threading.Lock()
        self.running = PARSERS
        self.totals: dict[str, int] = {}

    def read(self) -> None:
        for line in self.lines:
            self.raw.put(line)
        for _ in range(PARSERS):
            self.raw.put(None)

    def parse(self) -> None:
        while (line := self.raw.get()) is not None:
            key, _, value = line.partition("=")
            if value.isdigit():
                self.report.good()
                self.records.put(Record(key, int(value)))
            else:
                self.report.failed(line)
        self.finish()

    def finish(self) -> None:
        """A parser is done."""
        with self.lock:
            self.running -= 1
            is_last = self.running == 0
        if is_last or not REPAIRED:
            self.records.put(None)

    def write(self) -> None:
        while (record := self.records.get()) is not None:
            self.totals[record.key] = self.totals.get(record.key, 0) + record.value

    def run(self) -> dict[str, int]:
        stages = [
            threading.Thread(target=self.read, name="reader"),
            *[threading.Thread(target=self.parse, name=f"parser {number}") for number in range(PARSERS)],
            threading.Thread(target=self.write, name="writer"),
        ]
        for stage in stages:
            stage.start()
        for stage in stages:
            stage.join()
        return self.totals


def main() -> None:
    pipeline = Pipeline(["a=1", "b=2", "a=x", "a=3"])
    totals = pipeline.run()
    assert pipeline.report.parsed == 3
    assert pipeline.report.bad == ["a=x"]
    assert totals == {"a": 4, "b": 2}, totals


if __name__ == "__main__":
    main()
