"""A shipper of log records: handlers of requests write records to a buffer, which is sent to a collector in batches.

Seeded (lost item): a flush copies the buffer, sends the copy, and empties the buffer afterwards, so a record that was
written while the batch was sent is lost. Repaired: the full buffer is exchanged for an empty one, under the lock.
"""

import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


@dataclass(frozen=True)
class Record:
    level: str
    source: str
    text: str

    def line(self) -> str:
        return f"{self.level:7} {self.source}: {self.text}"


class Collector:
    """The other side: keeps the lines of all batches."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.lines: list[str] = []
        self.batches = 0

    def receive(self, lines: Iterable[str]) -> None:
        with self.lock:
            self.lines.extend(lines)
            self.batches += 1


class Shipper:
    """Buffers records, and ships them when there are ``size``, or when it is closed."""

    def __init__(self, collector: Collector, size: int) -> None:
        self.collector = collector
        self.size = size
        self.lock = threading.Lock()
        self.buffer: list[Record] = []

    def write(self, record: Record) -> None:
        with self.lock:
            self.buffer.append(record)
            is_full = len(self.buffer) >= self.size
        if is_full:
            self.flush()

    def flush(self) -> None:
        with self.lock:
            batch = list(self.buffer)
            if REPAIRED:
                self.buffer.clear()
        if batch:
            self.collector.receive([record.line() for record in batch])
        if not REPAIRED:
            with self.lock:
                del self.buffer[:]

    def close(self) -> None:
        self.flush()


@dataclass
class Logger:
    """Writes records of one source, from a least level on."""

    source: str
    shipper: Shipper
    least: str = "info"
    levels: tuple[str, ...] = ("debug", "info", "warning", "error")
    dropped: list[str] = field(default_factory=list)

    def log(self, level: str, text: str) -> None:
        if self.levels.index(level) < self.levels.index(self.least):
            self.dropped.append(text)
            return
        self.shipper.write(Record(level, self.source, text))

    def debug(self, text: str) -> None:
        self.log("debug", text)

    def info(self, text: str) -> None:
        self.log("info", text)

    def warning(self, text: str) -> None:
        self.log("warning", text)


def handle(logger: Logger, paths: list[str]) -> None:
    """Answer requests, and log it."""
    for path in paths:
        logger.debug(f"looking for {path}")
        if path.startswith("/private"):
            logger.warning(f"{path} is forbidden")
        else:
            logger.info(f"GET {path}")


def main() -> None:
    collector = Collector()
    shipper = Shipper(collector, size=2)
    loggers = [Logger(name, shipper) for name in ("web-1", "web-2")]
    threads = [
        threading.Thread(target=handle, args=(loggers[0], ["/", "/private/keys"])),
        threading.Thread(target=handle, args=(loggers[1], ["/about"])),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shipper.close()
    assert sorted(collector.lines) == [
        "info    web-1: GET /",
        "info    web-2: GET /about",
        "warning web-1: /private/keys is forbidden",
    ], collector.lines
    assert sum(len(logger.dropped) for logger in loggers) == 3


if __name__ == "__main__":
    main()
