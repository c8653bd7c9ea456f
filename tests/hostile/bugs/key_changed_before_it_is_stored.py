"""A key of a frozen data class is stored before it is changed, or afterwards."""

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    number: int


key = Key(1)
kept = set()

threads = [
    threading.Thread(target=lambda: object.__setattr__(key, "number", 2)),
    threading.Thread(target=lambda: kept.add(key)),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert Key(2) in kept
