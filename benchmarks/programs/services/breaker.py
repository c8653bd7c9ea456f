"""A gateway with a circuit breaker: clients call a backend through it; after two failures it answers by itself.

Seeded (half-updated pair): the breaker opens in one critical section and says until when in another, so a client in
between is let through as if the pause were over. Repaired: both in one.
"""

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


class Unavailable(Exception):
    """The breaker is open; ``retry_after`` seconds are left."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"again in {retry_after} s")
        self.retry_after = retry_after


class Failed(Exception):
    """The backend didn't answer."""


class Breaker:
    """Closed, until there were ``threshold`` failures in a row; then open for a while, then tried by one call."""

    def __init__(self, threshold: int, pause: int, clock: Callable[[], int]) -> None:
        self.lock = threading.Lock()
        self.threshold = threshold
        self.pause = pause
        self.clock = clock
        self.state = "closed"
        self.failures = 0
        self.until = 0
        self.probes = 0

    def enter(self) -> None:
        with self.lock:
            if self.state == "open":
                left = self.until - self.clock()
                if left > 0:
                    raise Unavailable(left)
                self.state = "trying"
                self.probes += 1
                return
            if self.state == "trying":
                raise Unavailable(1)

    def succeeded(self) -> None:
        with self.lock:
            if self.state != "open":
                self.state = "closed"
                self.failures = 0

    def failed(self) -> None:
        with self.lock:
            self.failures += 1
            is_over = self.state == "trying" or self.failures >= self.threshold
            if REPAIRED and is_over:
                self.state = "open"
                self.until = self.clock() + self.pause
        if not REPAIRED and is_over:
            self.open()

    def open(self) -> None:
        with self.lock:
            self.state = "open"
        until = self.clock() + self.pause
        with self.lock:
            self.until = until

    def call(self, function: Callable[[str], str], argument: str) -> str:
        self.enter()
        try:
            answer = function(argument)
        except Failed:
            self.failed()
            raise
        self.succeeded()
        return answer


@dataclass
class Backend:
    """Answers, but for paths that are broken."""

    broken: frozenset[str]
    lock: threading.Lock = field(default_factory=threading.Lock)
    calls: int = 0

    def get(self, path: str) -> str:
        with self.lock:
            self.calls += 1
        if path in self.broken:
            raise Failed(path)
        return path.upper()


@dataclass
class Answer:
    status: int
    text: str = ""
    retry_after: int = 0


def ask(breaker: Breaker, backend: Backend, path: str) -> Answer:
    try:
        return Answer(200, breaker.call(backend.get, path))
    except Unavailable as error:
        return Answer(503, str(error), error.retry_after)
    except Failed as error:
        return Answer(502, str(error))


def client(breaker: Breaker, backend: Backend, paths: list[str], answers: list[Answer]) -> None:
    for path in paths:
        answers.append(ask(breaker, backend, path))  # noqa: PERF401


def main() -> None:
    breaker = Breaker(threshold=2, pause=30, clock=lambda: 100)
    backend = Backend(frozenset({"/orders"}))
    answers: list[list[Answer]] = [[], []]
    threads = [
        threading.Thread(target=client, args=(breaker, backend, ["/orders", "/orders"], answers[0])),
        threading.Thread(target=client, args=(breaker, backend, ["/help", "/help"], answers[1])),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everything = [*answers[0], *answers[1]]
    assert breaker.probes == 0, "the pause is not over"
    assert all(answer.retry_after == 30 for answer in everything if answer.status == 503), everything
    assert backend.calls == sum(answer.status != 503 for answer in everything)


if __name__ == "__main__":
    main()
