"""A scheduler: jobs with priorities wait in a heap, two workers take the most urgent one, results are kept by name.

Seeded (wrong predicate): a worker that was woken takes a job without looking again whether there is one, though another
worker may have taken it. Repaired: it looks again.
"""

import heapq
import itertools
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


@dataclass(order=True)
class Job:
    priority: int
    number: int
    name: str = field(compare=False)
    function: Callable[[], int] = field(compare=False)


class Jobs:
    """Jobs that wait; ``closed`` once no more will come."""

    def __init__(self) -> None:
        self.condition = threading.Condition()
        self.heap: list[Job] = []
        self.numbers = itertools.count()
        self.closed = False

    def add(self, priority: int, name: str, function: Callable[[], int]) -> None:
        with self.condition:
            heapq.heappush(self.heap, Job(priority, next(self.numbers), name, function))
            self.condition.notify_all()

    def close(self) -> None:
        with self.condition:
            self.closed = True
            self.condition.notify_all()

    def take(self) -> Job | None:
        """The most urgent job; none if there is none and none will come."""
        with self.condition:
            if REPAIRED:
                while not self.heap and not self.closed:
                    self.condition.wait()
            elif not self.heap and not self.closed:
                self.condition.wait()
            if not self.heap and self.closed:
                return None
            return heapq.heappop(self.heap)


class Results:
    """What jobs gave, and which failed."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.values: dict[str, int] = {}
        self.failures: dict[str, str] = {}

    def keep(self, name: str, value: int) -> None:
        with self.lock:
            self.values[name] = value

    def fail(self, name: str, error: Exception) -> None:
        with self.lock:
            self.failures[name] = type(error).__name__


class Scheduler:
    """Workers that run jobs, until it is closed and nothing is left."""

    def __init__(self, workers: int) -> None:
        self.jobs = Jobs()
        self.results = Results()
        self.workers = [threading.Thread(target=self.work, name=f"worker {number}") for number in range(workers)]

    def __enter__(self) -> "Scheduler":
        for worker in self.workers:
            worker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.jobs.close()
        for worker in self.workers:
            worker.join()

    def work(self) -> None:
        while (job := self.jobs.take()) is not None:
            try:
                value = job.function()
            except ArithmeticError as error:
                self.results.fail(job.name, error)
            else:
                self.results.keep(job.name, value)


def main() -> None:
    with Scheduler(workers=2) as scheduler:
        scheduler.jobs.add(2, "average", lambda: sum([3, 4, 5]) // 3)
        scheduler.jobs.add(1, "ratio", lambda: 1 // 0)
    assert scheduler.results.values == {"average": 4}
    assert scheduler.results.failures == {"ratio": "ZeroDivisionError"}


if __name__ == "__main__":
    main()
