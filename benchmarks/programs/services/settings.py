"""Settings that can be changed while a service runs: a store tells its listeners, a proxy keeps what it derived.

Seeded (callback under a lock): the store calls its listeners while it holds its lock. The proxy takes its own lock
then, and asks the store under that lock elsewhere: the two wait for each other. Repaired: the store calls them after it
gave its lock back.
"""

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

REPAIRED = "repaired" in sys.argv

Listener = Callable[[str, str], None]


class Store:
    """Settings by name, with a number for each change."""

    def __init__(self, values: dict[str, str]) -> None:
        self.lock = threading.Lock()
        self.values = dict(values)
        self.listeners: list[Listener] = []
        self.changes = 0

    def listen(self, listener: Listener) -> None:
        with self.lock:
            self.listeners.append(listener)

    def get(self, name: str) -> str:
        with self.lock:
            return self.values[name]

    def set(self, name: str, value: str) -> None:
        with self.lock:
            if self.values.get(name) == value:
                return
            self.values[name] = value
            self.changes += 1
            listeners = list(self.listeners)
            if not REPAIRED:
                self.notify(listeners, name, value)
        if REPAIRED:
            self.notify(listeners, name, value)

    @staticmethod
    def notify(listeners: list[Listener], name: str, value: str) -> None:
        for listener in listeners:
            listener(name, value)


@dataclass(frozen=True)
class Route:
    prefix: str
    host: str
    port: int


class Proxy:
    """Derives routes from settings like ``/api=10.0.0.1:80``, and keeps them until a setting changes."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.lock = threading.Lock()
        self.routes: dict[str, Route] = {}
        store.listen(self.changed)

    def changed(self, name: str, value: str) -> None:
        with self.lock:
            self.routes.pop(name, None)

    def route(self, name: str) -> Route:
        with self.lock:
            if name not in self.routes:
                self.routes[name] = self.parse(self.store.get(name))
            return self.routes[name]

    @staticmethod
    def parse(setting: str) -> Route:
        prefix, _, address = setting.partition("=")
        host, _, port = address.partition(":")
        return Route(prefix, host, int(port))


class Audit:
    """Which settings were changed."""

    def __init__(self, store: Store) -> None:
        self.lock = threading.Lock()
        self.lines: list[str] = []
        store.listen(self.changed)

    def changed(self, name: str, value: str) -> None:
        with self.lock:
            self.lines.append(f"{name}: {value}")


def requests(proxy: Proxy, names: list[str], hosts: list[str]) -> None:
    for name in names:
        hosts.append(proxy.route(name).host)  # noqa: PERF401


def operator(store: Store, changes: list[tuple[str, str]]) -> None:
    for name, value in changes:
        store.set(name, value)


def main() -> None:
    store = Store({"api": "/api=10.0.0.1:80", "web": "/=10.0.0.2:8080"})
    proxy, audit = Proxy(store), Audit(store)
    hosts: list[str] = []
    threads = [
        threading.Thread(target=requests, args=(proxy, ["api", "web"], hosts)),
        threading.Thread(target=operator, args=(store, [("web", "/=10.0.0.2:8080"), ("api", "/api=10.0.0.3:80")])),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hosts[1] == "10.0.0.2"
    assert hosts[0] in ("10.0.0.1", "10.0.0.3")
    assert audit.lines == ["api: /api=10.0.0.3:80"]
    assert proxy.route("api") == Route("/api", "10.0.0.3", 80), proxy.route("api")


if __name__ == "__main__":
    main()
