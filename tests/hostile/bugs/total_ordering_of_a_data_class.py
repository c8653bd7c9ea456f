"""The `<=` that `functools.total_ordering` makes calls `__lt__`, and then the `__eq__` that `dataclasses` makes."""

import dataclasses
import functools
import threading


@functools.total_ordering
@dataclasses.dataclass
class Size:
    width: int

    def __lt__(self, other):
        return self.width < other.width


size = Size(5)
seen = []


def look():
    seen.append(size <= Size(5))


def change():
    size.width = 4


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [True]
