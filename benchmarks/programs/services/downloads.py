"""A download manager: a pool of threads fetches files, at most one at a time from each host, and retries what failed.

Files that were fetched before are answered from a store, hosts that are blocked are not asked at all. Progress goes to
the log, and a ledger counts bytes by host.

Seeded (leaked permit): a download that finds its file in the store after it waited for the host returns at once, and
never gives its place at the host back: the next one waits for ever. Repaired: the place is given back in any case.
"""

import logging
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

REPAIRED = "repaired" in sys.argv

log = logging.getLogger("downloads")


class Unreachable(Exception):
    """The host didn't answer; it may later."""


class Blocked(Exception):
    """Nothing is fetched from this host."""


@dataclass(frozen=True)
class Address:
    host: str
    path: str

    @classmethod
    def parse(cls, text: str) -> "Address":
        host, _, path = text.partition("/")
        return cls(host, f"/{path}")


class Network:
    """Hosts and their files; the first request to a host that ``is_slow`` fails."""

    def __init__(self, files: dict[Address, bytes], slow: set[str]) -> None:
        self.files = files
        self.slow = set(slow)
        self.lock = threading.Lock()
        self.requests: list[Address] = []

    def fetch(self, address: Address) -> bytes:
        with self.lock:
            self.requests.append(address)
            if address.host in self.slow:
                self.slow.remove(address.host)
                raise Unreachable(address.host)
        return self.files[address]


class Store:
    """Files that were fetched."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.files: dict[Address, bytes] = {}
        self.hits = 0

    def get(self, address: Address) -> bytes | None:
        with self.lock:
            data = self.files.get(address)
            self.hits += data is not None
            return data

    def put(self, address: Address, data: bytes) -> None:
        with self.lock:
            self.files[address] = data


class Ledger:
    """Bytes by host."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.bytes: dict[str, int] = {}

    def add(self, host: str, number: int) -> None:
        with self.lock:
            self.bytes[host] = self.bytes.get(host, 0) + number


class Hosts:
    """A semaphore for each host, made when it is first asked."""

    def __init__(self, places: int) -> None:
        self.places = places
        self.lock = threading.Lock()
        self.semaphores: dict[str, threading.BoundedSemaphore] = {}

    def of(self, host: str) -> threading.BoundedSemaphore:
        with self.lock:
            if host not in self.semaphores:
                self.semaphores[host] = threading.BoundedSemaphore(self.places)
            return self.semaphores[host]


class Downloads:
    """Fetches files by a pool of threads."""

    def __init__(self, network: Network, blocked: frozenset[str] = frozenset(), attempts: int = 2) -> None:
        self.network = network
        self.blocked = blocked
        self.attempts = attempts
        self.store = Store()
        self.ledger = Ledger()
        self.hosts = Hosts(places=1)
        self.pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="download")

    def __enter__(self) -> "Downloads":
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown()

    def get(self, text: str) -> Future[bytes]:
        return self.pool.submit(self.download, Address.parse(text))

    def download(self, address: Address) -> bytes:
        if address.host in self.blocked:
            raise Blocked(address.host)
        data = self.store.get(address)
        return self.ask(address) if data is None else data

    def ask(self, address: Address) -> bytes:
        """Wait for a place at the host; by then somebody else may have fetched the file."""
        place = self.hosts.of(address.host)
        place.acquire()
        data = self.store.get(address)
        if data is not None:
            if REPAIRED:
                place.release()
            return data
        try:
            data = self.retried(self.network.fetch, address)
            self.store.put(address, data)
        finally:
            place.release()
        self.ledger.add(address.host, len(data))
        return data

    def retried(self, fetch: Callable[[Address], bytes], address: Address) -> bytes:
        for attempt in range(1, self.attempts):
            try:
                return fetch(address)
            except Unreachable as error:
                log.info("attempt %d: %s", attempt, error)
        return fetch(address)


def main() -> None:
    files = {Address("a.org", "/x"): b"four", Address("a.org", "/y"): b"eleven", Address("b.org", "/"): b"b"}
    network = Network(files, slow={"b.org"})
    with Downloads(network, frozenset({"evil.org"})) as downloads:
        futures = [downloads.get(text) for text in ("a.org/x", "a.org/x", "evil.org/x", "a.org/y", "b.org/")]
        errors = [future.exception() for future in futures]
    assert [type(error) for error in errors if error is not None] == [Blocked]
    assert [futures[place].result() for place in (0, 1, 3, 4)] == [b"four", b"four", b"eleven", b"b"]
    assert downloads.ledger.bytes == {"a.org": 10, "b.org": 1}
    assert len(network.requests) == 4
    assert downloads.store.hits == 1


if __name__ == "__main__":
    main()
