"""The initialiser of a data class is called again for an object that another thread looks at."""

import threading
from dataclasses import dataclass


@dataclass
class Pair:
    first: int
    second: int = 0


pair = Pair(1)
seen = []

threads = [
    threading.Thread(target=lambda: pair.__init__(2, 2)),
    threading.Thread(target=lambda: seen.append(repr(pair))),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert "second=2" in seen[0]
