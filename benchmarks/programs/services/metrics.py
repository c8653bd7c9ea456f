"""A web application with a registry of metrics: handlers count and measure requests, an exporter writes all of them.

Seeded (unlocked statistics): a counter adds without a lock, as its inventor thought that an addition needs none.
Repaired: it takes the lock of the counter.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


class Counter:
    """A number that only grows."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lock = threading.Lock()
        self.value = 0

    def add(self, number: int = 1) -> None:
        if number < 0:
            raise ValueError("a counter only grows")
        if REPAIRED:
            with self.lock:
                self.value += number
        else:
            self.value += number

    def lines(self) -> Iterator[str]:
        with self.lock:
            value = self.value
        yield f"{self.name} {value}"


class Histogram:
    """How many values were at most as large as each bound."""

    def __init__(self, name: str, bounds: tuple[int, ...] = (1, 10, 100)) -> None:
        self.name = name
        self.bounds = bounds
        self.lock = threading.Lock()
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0

    def observe(self, value: int) -> None:
        place = next((place for place, bound in enumerate(self.bounds) if value <= bound), len(self.bounds))
        with self.lock:
            self.counts[place] += 1
            self.total += value

    def lines(self) -> Iterator[str]:
        with self.lock:
            counts, total = list(self.counts), self.total
        reached = 0
        for bound, count in zip((*map(str, self.bounds), "inf"), counts, strict=True):
            reached += count
            yield f"{self.name}_bucket{{le={bound}}} {reached}"
        yield f"{self.name}_sum {total}"


Metric = Counter | Histogram


class Registry:
    """Metrics by name, made when they are first asked for."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.metrics: dict[str, Metric] = {}

    def counter(self, name: str) -> Counter:
        found = self.get(name, Counter)
        assert isinstance(found, Counter)
        return found

    def histogram(self, name: str) -> Histogram:
        found = self.get(name, Histogram)
        assert isinstance(found, Histogram)
        return found

    def get(self, name: str, make: Callable[[str], Metric]) -> Metric:
        with self.lock:
            if name not in self.metrics:
                self.metrics[name] = make(name)
            return self.metrics[name]

    def export(self) -> list[str]:
        with self.lock:
            metrics = sorted(self.metrics.values(), key=lambda metric: metric.name)
        return [line for metric in metrics for line in metric.lines()]


@dataclass
class Application:
    """Pages, their sizes, and what is counted about them."""

    registry: Registry
    pages: dict[str, str] = field(default_factory=lambda: {"/": "home", "/long": "long" * 20})

    def handle(self, path: str) -> int:
        page = self.pages.get(path)
        status = 404 if page is None else 200
        self.registry.counter(f"responses_{status}").add()
        if page is not None:
            self.registry.histogram("bytes").observe(len(page))
        return status


def client(application: Application, paths: list[str]) -> None:
    for path in paths:
        application.handle(path)


def exporter(registry: Registry, scraped: list[list[str]]) -> None:
    scraped.append(registry.export())


def main() -> None:
    application = Application(Registry())
    scraped: list[list[str]] = []
    threads = [
        threading.Thread(target=client, args=(application, ["/", "/nothing"])),
        threading.Thread(target=client, args=(application, ["/long"])),
        threading.Thread(target=exporter, args=(application.registry, scraped)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    exporter(application.registry, scraped)
    assert scraped[-1] == [
        "bytes_bucket{le=1} 0",
        "bytes_bucket{le=10} 1",
        "bytes_bucket{le=100} 2",
        "bytes_bucket{le=inf} 2",
        "bytes_sum 84",
        "responses_200 2",
        "responses_404 1",
    ], scraped[-1]


if __name__ == "__main__":
    main()
