"""A key of a frozen data class is changed before it is stored, or afterwards."""

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    number: int


key = Key(1)
kept = {}

threads = [
    threading.Thread(target=lambda: kept.setdefault(key, "a")),
    threading.Thread(target=lambda: object.__setattr__(key, "number", 2)),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert Key(2) not in kept
