"""A display hashes an object of a frozen data class that another thread changes."""

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    number: int


key = Key(1)
seen = []

threads = [
    threading.Thread(target=lambda: seen.append(len({key, Key(1)}))),
    threading.Thread(target=lambda: object.__setattr__(key, "number", 2)),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [1]
