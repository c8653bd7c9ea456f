"""A pool of connections: clients check one out, use it, and give it back; a keeper closes the pool at the end.

Seeded (missed notification): a connection that turned out to be broken is replaced without a notification, so a client
that waits for one waits for ever. Repaired: notified as any other.
"""

import sys
import threading
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


class Broken(Exception):
    """The connection can't be used any more."""


@dataclass
class Connection:
    number: int
    uses_left: int
    sent: list[str] = field(default_factory=list)

    def send(self, text: str) -> str:
        if self.uses_left == 0:
            raise Broken(self.number)
        self.uses_left -= 1
        self.sent.append(text)
        return text.upper()


class Pool:
    """At most ``size`` connections, made when they are needed."""

    def __init__(self, size: int, uses: int) -> None:
        self.condition = threading.Condition()
        self.size = size
        self.uses = uses
        self.idle: list[Connection] = []
        self.made = 0
        self.open = 0

    def check_out(self) -> Connection:
        with self.condition:
            while not self.idle and self.open >= self.size:
                self.condition.wait()
            if self.idle:
                return self.idle.pop()
            self.open += 1
            self.made += 1
            return Connection(self.made, self.uses)

    def give_back(self, connection: Connection) -> None:
        with self.condition:
            self.idle.append(connection)
            self.condition.notify()

    def discard(self, connection: Connection) -> None:
        with self.condition:
            self.open -= 1
            if REPAIRED:
                self.condition.notify()


class Journal:
    """The answers, in the order in which they came."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.lines: list[str] = []
        self.failures = 0

    def write(self, line: str) -> None:
        with self.lock:
            self.lines.append(line)

    def fail(self) -> None:
        with self.lock:
            self.failures += 1


def ask(pool: Pool, journal: Journal, text: str) -> None:
    """Send a text; again by another connection if that one is broken."""
    while True:
        connection = pool.check_out()
        try:
            answer = connection.send(text)
        except Broken:
            journal.fail()
            pool.discard(connection)
            return
        pool.give_back(connection)
        journal.write(answer)
        return


def client(pool: Pool, journal: Journal, texts: list[str]) -> None:
    for text in texts:
        ask(pool, journal, text)


def main() -> None:
    pool, journal = Pool(size=1, uses=2), Journal()
    threads = [
        threading.Thread(target=client, args=(pool, journal, ["a", "b"]), name="first"),
        threading.Thread(target=client, args=(pool, journal, ["c"]), name="second"),
        threading.Thread(target=client, args=(pool, journal, ["d"]), name="third"),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(journal.lines) + journal.failures == 4, journal.lines
    assert pool.open <= 1


if __name__ == "__main__":
    main()
