"""A service behind a rate limiter: clients acquire tokens, a refiller adds some, and statistics are kept.

Seeded (check then act): the limiter looks at its tokens and takes one in two critical sections, so two clients may take
the last token. Repaired: in one.
"""

import sys
import threading
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


@dataclass
class Request:
    client: str
    path: str
    status: int = 0


class Limiter:
    """A bucket of tokens."""

    def __init__(self, tokens: int, limit: int) -> None:
        self.lock = threading.Lock()
        self.tokens = tokens
        self.limit = limit

    def available(self) -> bool:
        with self.lock:
            return self.tokens > 0

    def take(self) -> None:
        with self.lock:
            self.tokens -= 1

    def try_take(self) -> bool:
        if REPAIRED:
            with self.lock:
                if self.tokens == 0:
                    return False
                self.tokens -= 1
                return True
        if not self.available():
            return False
        self.take()
        return True

    def refill(self, number: int) -> None:
        with self.lock:
            self.tokens = min(self.limit, self.tokens + number)


@dataclass
class Log:
    """What was served, by client."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    served: dict[str, list[str]] = field(default_factory=dict)
    refused: int = 0

    def add(self, request: Request) -> None:
        with self.lock:
            if request.status == 200:
                self.served.setdefault(request.client, []).append(request.path)
            else:
                self.refused += 1


class Site:
    """Answers requests, if the limiter lets it."""

    def __init__(self, limiter: Limiter) -> None:
        self.limiter = limiter
        self.log = Log()
        self.pages = {"/": "home", "/about": "about us"}

    def handle(self, request: Request) -> str:
        if not self.limiter.try_take():
            request.status = 429
            self.log.add(request)
            return ""
        page = self.pages.get(request.path)
        request.status = 404 if page is None else 200
        self.log.add(request)
        return page or ""


def client(site: Site, name: str, paths: list[str], answers: list[str]) -> None:
    for path in paths:
        answer = site.handle(Request(name, path))
        if answer:
            answers.append(answer)


def refiller(limiter: Limiter, times: int) -> None:
    for _ in range(times):
        limiter.refill(1)


def main() -> None:
    limiter = Limiter(tokens=1, limit=2)
    site = Site(limiter)
    answers: dict[str, list[str]] = {"ann": [], "ben": [], "cid": []}
    threads = [
        threading.Thread(target=client, args=(site, "ann", ["/", "/about"], answers["ann"])),
        threading.Thread(target=client, args=(site, "ben", ["/"], answers["ben"])),
        threading.Thread(target=client, args=(site, "cid", ["/about"], answers["cid"])),
        threading.Thread(target=refiller, args=(limiter, 1)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    served = sum(map(len, site.log.served.values()))
    assert limiter.tokens >= 0, limiter.tokens
    assert served + limiter.tokens <= 2, (served, limiter.tokens)
    assert served + site.log.refused == 4


if __name__ == "__main__":
    main()
