"""A store of sessions: users log in and out, a reaper removes the old ones, and requests look sessions up.

Seeded (check then act): a request tests whether its session exists, and then gets it, without a lock in between; the
reaper may have removed it. Repaired: it gets it in one step, under the lock.
"""

import itertools
import sys
import threading
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


@dataclass
class Session:
    token: int
    user: str
    age: int = 0
    data: dict[str, str] = field(default_factory=dict)


class Store:
    """The sessions by their tokens."""

    def __init__(self, oldest: int) -> None:
        self.lock = threading.Lock()
        self.sessions: dict[int, Session] = {}
        self.oldest = oldest
        self.tokens = itertools.count(1)

    def open(self, user: str) -> int:
        with self.lock:
            session = Session(next(self.tokens), user)
            self.sessions[session.token] = session
            return session.token

    def find(self, token: int) -> Session | None:
        if REPAIRED:
            with self.lock:
                return self.sessions.get(token)
        if token in self.sessions:
            return self.sessions[token]
        return None

    def close(self, token: int) -> None:
        with self.lock:
            self.sessions.pop(token, None)

    def reap(self) -> int:
        with self.lock:
            for session in self.sessions.values():
                session.age += 1
            old = [token for token, session in self.sessions.items() if session.age > self.oldest]
            for token in old:
                del self.sessions[token]
            return len(old)


class Counter:
    """Counts answers by their status."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.statuses: dict[int, int] = {}

    def add(self, status: int) -> None:
        with self.lock:
            self.statuses[status] = self.statuses.get(status, 0) + 1


class Application:
    """Answers requests of users with a session."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.counter = Counter()

    def request(self, token: int, path: str) -> int:
        session = self.store.find(token)
        status = 401 if session is None else 200
        if session is not None:
            session.data["last"] = path
        self.counter.add(status)
        return status


def user(application: Application, name: str, paths: list[str]) -> None:
    token = application.store.open(name)
    for path in paths:
        if application.request(token, path) == 401:
            token = application.store.open(name)
    application.store.close(token)


def reaper(store: Store, rounds: int) -> None:
    for _ in range(rounds):
        store.reap()


def main() -> None:
    store = Store(oldest=1)
    application = Application(store)
    threads = [
        threading.Thread(target=user, args=(application, "ann", ["/", "/cart"])),
        threading.Thread(target=user, args=(application, "ben", ["/"])),
        threading.Thread(target=reaper, args=(store, 2)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(application.counter.statuses.values()) == 3, application.counter.statuses


if __name__ == "__main__":
    main()
