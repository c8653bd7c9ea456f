"""A store of attachments: readers share one open file for each name, and the last one that is done closes it.

Seeded (double close): a reader counts itself out under the lock, and looks afterwards whether it was the last one, so
that two may think so and both close the file. Repaired: the lock covers both.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


@dataclass
class File:
    """An open file of a disk. Its position belongs to each reader; closing it twice is an error."""

    name: str
    data: bytes
    lock: threading.Lock = field(default_factory=threading.Lock)
    closed: bool = False

    def read(self, start: int, length: int) -> bytes:
        with self.lock:
            if self.closed:
                raise ValueError(f"{self.name} is closed")
            return self.data[start : start + length]

    def close(self) -> None:
        with self.lock:
            if self.closed:
                raise ValueError(f"{self.name} was closed before")
            self.closed = True


class Disk:
    """Files by name, and how many are open."""

    def __init__(self, contents: dict[str, bytes]) -> None:
        self.lock = threading.Lock()
        self.contents = contents
        self.opened: list[File] = []

    def open(self, name: str) -> File:
        with self.lock:
            file = File(name, self.contents[name])
            self.opened.append(file)
            return file


@dataclass
class Shared:
    """An open file and how many readers it has."""

    file: File
    readers: int = 0


class Attachments:
    """Opens a file for the first reader of a name."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.lock = threading.Lock()
        self.shared: dict[str, Shared] = {}

    def acquire(self, name: str) -> Shared:
        with self.lock:
            shared = self.shared.get(name)
            if shared is None:
                shared = self.shared[name] = Shared(self.disk.open(name))
            shared.readers += 1
            return shared

    def release(self, shared: Shared) -> None:
        with self.lock:
            shared.readers -= 1
            if REPAIRED and shared.readers == 0:
                self.forget(shared)
        if not REPAIRED and shared.readers == 0:
            with self.lock:
                self.forget(shared)

    def forget(self, shared: Shared) -> None:
        self.shared.pop(shared.file.name, None)
        shared.file.close()

    @contextmanager
    def reading(self, name: str) -> Iterator[File]:
        shared = self.acquire(name)
        try:
            yield shared.file
        finally:
            self.release(shared)


def download(attachments: Attachments, name: str, sent: dict[str, bytes], client: str) -> None:
    """Send an attachment in pieces of four bytes."""
    pieces: list[bytes] = []
    with attachments.reading(name) as file:
        while piece := file.read(4 * len(pieces), 4):
            pieces.append(piece)
    sent[client] = b"".join(pieces)


def main() -> None:
    disk = Disk({"logo.png": b"PNG...", "terms.txt": b"none"})
    attachments = Attachments(disk)
    sent: dict[str, bytes] = {}
    threads = [
        threading.Thread(target=download, args=(attachments, "logo.png", sent, "ann")),
        threading.Thread(target=download, args=(attachments, "logo.png", sent, "ben")),
        threading.Thread(target=download, args=(attachments, "terms.txt", sent, "cid")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sent == {"ann": b"PNG...", "ben": b"PNG...", "cid": b"none"}, sent
    assert not attachments.shared
    assert all(file.closed for file in disk.opened)


if __name__ == "__main__":
    main()
