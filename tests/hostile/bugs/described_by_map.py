"""A data class that `map` has described is read."""

import dataclasses
import threading


@dataclasses.dataclass
class Point:
    x: int


thing = Point(1)
seen = []


def look():
    seen.append([*map(repr, [thing])][0])


def change():
    thing.x = 7


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen[0] != "Point(x=7)"
