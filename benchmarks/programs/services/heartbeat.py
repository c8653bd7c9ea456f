"""A monitor of machines: machines register and report that they live, a watcher calls somebody for the silent ones.

Seeded (early publication): a machine is entered before its entry is complete: the watcher may find a silent machine
whose owner is not known yet. Repaired: the entry is made first.
"""

import sys
import threading
from dataclasses import dataclass, field

REPAIRED = "repaired" in sys.argv


@dataclass
class Clock:
    """Ticks, counted by those who wait for nothing else."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    now: int = 0

    def tick(self) -> None:
        with self.lock:
            self.now += 1

    def read(self) -> int:
        with self.lock:
            return self.now


@dataclass(frozen=True)
class Owner:
    name: str
    number: str


class Owners:
    """Who is called for which group of machines."""

    def __init__(self, owners: dict[str, Owner]) -> None:
        self.lock = threading.Lock()
        self.owners = owners

    def of(self, machine: str) -> Owner:
        group, _, _ = machine.partition("-")
        with self.lock:
            return self.owners[group]


@dataclass
class Entry:
    """A machine, when it was last heard of, and whom to call if it is silent."""

    machine: str
    seen: int
    owner: Owner | None = None
    called: bool = False


class Monitor:
    """Machines that are watched."""

    def __init__(self, owners: Owners, clock: Clock, patience: int) -> None:
        self.owners = owners
        self.clock = clock
        self.patience = patience
        self.lock = threading.Lock()
        self.entries: dict[str, Entry] = {}

    def register(self, machine: str) -> None:
        entry = Entry(machine, self.clock.read())
        if REPAIRED:
            entry.owner = self.owners.of(machine)
        with self.lock:
            self.entries[machine] = entry
        if not REPAIRED:
            entry.owner = self.owners.of(machine)

    def beat(self, machine: str) -> None:
        now = self.clock.read()
        with self.lock:
            entry = self.entries[machine]
            entry.seen = max(entry.seen, now)

    def silent(self) -> list[Entry]:
        """The machines that somebody has to be called for, once each."""
        now = self.clock.read()
        with self.lock:
            late = [each for each in self.entries.values() if now - each.seen > self.patience and not each.called]
            for entry in late:
                entry.called = True
        return late


class Watcher:
    """Calls the owners of silent machines."""

    def __init__(self, monitor: Monitor) -> None:
        self.monitor = monitor
        self.calls: list[str] = []

    def look(self) -> None:
        for entry in self.monitor.silent():
            assert entry.owner is not None, entry.machine
            self.calls.append(f"{entry.owner.number}: {entry.machine} is silent")

    def run(self, rounds: int) -> None:
        for _ in range(rounds):
            self.monitor.clock.tick()
            self.look()


def machine(monitor: Monitor, name: str, beats: int) -> None:
    monitor.register(name)
    for _ in range(beats):
        monitor.beat(name)


def main() -> None:
    clock = Clock()
    owners = Owners({"web": Owner("ann", "555-1"), "db": Owner("ben", "555-2")})
    monitor = Monitor(owners, clock, patience=0)
    watcher = Watcher(monitor)
    threads = [
        threading.Thread(target=machine, args=(monitor, "web-1", 1)),
        threading.Thread(target=machine, args=(monitor, "db-1", 1)),
        threading.Thread(target=watcher.run, args=(2,), name="watcher"),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(monitor.entries) == ["db-1", "web-1"]
    assert set(watcher.calls) <= {"555-1: web-1 is silent", "555-2: db-1 is silent"}
    assert len(watcher.calls) == sum(entry.called for entry in monitor.entries.values()) <= 2, watcher.calls


if __name__ == "__main__":
    main()
