"""An indexer of files: workers take folders from a queue, put the folders in them there, and index the words of files.

A folder is open from when it was put into the queue until it was read. When no folder is open, all workers are told to
end; the index then answers queries.

Seeded (premature end): a folder is counted after it was put into the queue. Another worker may have read it by then, so
that none seems to be open: the workers are told to end, and the rest is never read. Repaired: it is counted first.
"""

import queue
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


@dataclass
class Folder:
    """A part of a tree of files, in memory."""

    name: str
    files: dict[str, str] = field(default_factory=dict)
    folders: list["Folder"] = field(default_factory=list)

    def walk(self) -> Iterator["Folder"]:
        yield self
        for folder in self.folders:
            yield from folder.walk()


class Index:
    """The files in which each word stands."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.files: dict[str, set[str]] = {}

    def add(self, path: str, text: str) -> None:
        words = {word.strip(".,!").lower() for word in text.split()}
        with self.lock:
            for word in sorted(words):
                self.files.setdefault(word, set()).add(path)

    def find(self, *words: str) -> list[str]:
        with self.lock:
            found = [self.files.get(word.lower(), set()) for word in words]
        return sorted(set.intersection(*found)) if found else []


class Errors:
    """Files that could not be read."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.paths: list[str] = []

    def add(self, path: str) -> None:
        with self.lock:
            self.paths.append(path)


class Indexer:
    """Workers on a queue of folders."""

    def __init__(self, index: Index, workers: int) -> None:
        self.index = index
        self.errors = Errors()
        self.queue: queue.Queue[tuple[str, Folder] | None] = queue.Queue()
        self.lock = threading.Lock()
        self.open = 0
        self.workers = [threading.Thread(target=self.work, name=f"worker {number}") for number in range(workers)]

    def put(self, path: str, folder: Folder) -> None:
        if not REPAIRED:
            self.queue.put((path, folder))
        with self.lock:
            self.open += 1
        if REPAIRED:
            self.queue.put((path, folder))

    def finished(self) -> None:
        """A folder was read. The last one ends the workers."""
        with self.lock:
            self.open -= 1
            is_last = self.open == 0
        if is_last:
            for _ in self.workers:
                self.queue.put(None)

    def work(self) -> None:
        while (item := self.queue.get()) is not None:
            self.read(*item)
            self.finished()

    def read(self, path: str, folder: Folder) -> None:
        for part in folder.folders:
            self.put(f"{path}/{part.name}", part)
        for name, text in folder.files.items():
            if "\0" in text:
                self.errors.add(f"{path}/{name}")
            else:
                self.index.add(f"{path}/{name}", text)

    def run(self, root: Folder) -> None:
        self.put(root.name, root)
        for worker in self.workers:
            worker.start()
        for worker in self.workers:
            worker.join()


def tree() -> Folder:
    letters = Folder("letters", {"ann.txt": "Dear Ann, the invoice is late."})
    return Folder("home", {"cat.png": "\0PNG"}, [letters, Folder("bills", {"may.txt": "Invoice of May."})])


def main() -> None:
    index = Index()
    indexer = Indexer(index, workers=2)
    indexer.run(tree())
    assert index.find("invoice") == ["home/bills/may.txt", "home/letters/ann.txt"], index.files
    assert index.find("Invoice", "dear") == ["home/letters/ann.txt"]
    assert index.find("summer") == []
    assert indexer.errors.paths == ["home/cat.png"]
    assert indexer.open == 0


if __name__ == "__main__":
    main()
