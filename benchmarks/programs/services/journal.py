"""A journal with group commit: clients append entries and wait until they are on disk; one writer writes in groups.

Seeded (lost signal): the writer takes the entries that wait, and clears its signal afterwards: the signal of an entry
that was appended in between is lost, and its client waits for ever. Repaired: it clears the signal first.
"""

import sys
import threading
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


@dataclass
class Entry:
    text: str
    written: threading.Event = field(default_factory=threading.Event)
    place: int = 0

    def wait(self) -> int:
        """The place in the file, once it is written."""
        self.written.wait()
        return self.place


@dataclass
class File:
    """Lines on disk, and how often they were forced there."""

    lines: list[str] = field(default_factory=list)
    syncs: int = 0

    def append(self, texts: list[str]) -> int:
        """The place of the first one."""
        place = len(self.lines)
        self.lines.extend(texts)
        self.syncs += 1
        return place


class Journal:
    """Entries that wait, and the thread that writes them."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.lock = threading.Lock()
        self.waiting: list[Entry] = []
        self.closed = False
        self.signal = threading.Event()
        self.writer = threading.Thread(target=self.write, name="writer")

    def start(self) -> None:
        self.writer.start()

    def append(self, text: str) -> Entry:
        entry = Entry(text)
        with self.lock:
            if self.closed:
                raise ValueError("the journal is closed")
            self.waiting.append(entry)
        self.signal.set()
        return entry

    def close(self) -> None:
        with self.lock:
            self.closed = True
        self.signal.set()
        self.writer.join()

    def take(self) -> tuple[list[Entry], bool]:
        with self.lock:
            group, self.waiting = self.waiting, []
            return group, self.closed

    def write(self) -> None:
        is_last = False
        while not is_last:
            self.signal.wait()
            if REPAIRED:
                self.signal.clear()
            group, is_last = self.take()
            if not REPAIRED:
                self.signal.clear()
            if group:
                self.commit(group)

    def commit(self, group: list[Entry]) -> None:
        place = self.file.append([entry.text for entry in group])
        for number, entry in enumerate(group):
            entry.place = place + number
            entry.written.set()


def client(journal: Journal, name: str, texts: list[str], places: dict[str, int]) -> None:
    for text in texts:
        line = f"{name}: {text}"
        places[line] = journal.append(line).wait()


def main() -> None:
    file = File()
    journal = Journal(file)
    journal.start()
    places: list[dict[str, int]] = [{}, {}]
    threads = [
        threading.Thread(target=client, args=(journal, "ann", ["open", "pay"], places[0])),
        threading.Thread(target=client, args=(journal, "ben", ["open"], places[1])),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    journal.close()
    assert sorted(file.lines) == ["ann: open", "ann: pay", "ben: open"]
    assert all(file.lines[place] == line for own in places for line, place in own.items()), places
    assert file.syncs <= 3


if __name__ == "__main__":
    main()
