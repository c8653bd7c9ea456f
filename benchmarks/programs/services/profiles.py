"""Profiles of users behind a read-through cache: pages read them, users rename themselves, a table keeps them.

Seeded (stale cache): a reader that missed puts into the cache what it loaded, though it may have been changed and
dropped from the cache meanwhile: the old profile stays. Repaired: it keeps what it loaded only if nothing was dropped
since it began.
"""

import sys
import threading
from dataclasses import dataclass, replace

REPAIRED = "repaired" in sys.argv


@dataclass(frozen=True)
class Profile:
    user: int
    name: str
    version: int = 1


class Table:
    """The profiles, each row replaced as a whole."""

    def __init__(self, names: dict[int, str]) -> None:
        self.lock = threading.Lock()
        self.rows = {user: Profile(user, name) for user, name in names.items()}
        self.reads = 0

    def load(self, user: int) -> Profile:
        with self.lock:
            self.reads += 1
            return self.rows[user]

    def rename(self, user: int, name: str) -> None:
        with self.lock:
            old = self.rows[user]
            self.rows[user] = replace(old, name=name, version=old.version + 1)


class Cache:
    """At most ``size`` profiles; the one that was put in first has to go first."""

    def __init__(self, size: int) -> None:
        self.lock = threading.Lock()
        self.size = size
        self.entries: dict[int, Profile] = {}
        self.generation = 0

    def get(self, user: int) -> tuple[Profile | None, int]:
        """The profile, if it is there, and the generation of the cache."""
        with self.lock:
            return self.entries.get(user), self.generation

    def put(self, profile: Profile, generation: int) -> None:
        with self.lock:
            if REPAIRED and generation != self.generation:
                return
            while len(self.entries) >= self.size:
                del self.entries[next(iter(self.entries))]
            self.entries[profile.user] = profile

    def drop(self, user: int) -> None:
        with self.lock:
            self.generation += 1
            self.entries.pop(user, None)


class Profiles:
    """What the site uses."""

    def __init__(self, table: Table, cache: Cache) -> None:
        self.table = table
        self.cache = cache

    def find(self, user: int) -> Profile:
        found, generation = self.cache.get(user)
        if found is None:
            found = self.table.load(user)
            self.cache.put(found, generation)
        return found

    def rename(self, user: int, name: str) -> None:
        self.table.rename(user, name)
        self.cache.drop(user)


def greeting(profiles: Profiles, user: int, shown: list[str]) -> None:
    shown.append(f"Hello {profiles.find(user).name}!")


def page_of_two(profiles: Profiles, users: tuple[int, int], shown: list[str]) -> None:
    for user in users:
        greeting(profiles, user, shown)


def main() -> None:
    profiles = Profiles(Table({1: "ann", 2: "ben"}), Cache(size=2))
    shown: list[list[str]] = [[], []]
    threads = [
        threading.Thread(target=page_of_two, args=(profiles, (1, 2), shown[0])),
        threading.Thread(target=greeting, args=(profiles, 1, shown[1])),
        threading.Thread(target=profiles.rename, args=(1, "anna")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {*shown[0], *shown[1]} <= {"Hello ann!", "Hello anna!", "Hello ben!"}, shown
    assert profiles.find(1) == Profile(1, "anna", 2), profiles.find(1)
    assert profiles.find(2).name == "ben"


if __name__ == "__main__":
    main()
