"""`repr` of a data class reads its fields one after the other, in code that `dataclasses` has made."""

import dataclasses
import threading


@dataclasses.dataclass
class Point:
    x: int
    y: int


thing = Point(1, 1)
seen = []


def look():
    seen.append(repr(thing))


def change():
    thing.x = 7
    thing.y = 7


ts = [threading.Thread(target=f) for f in (look, change)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert seen[0] != "Point(x=1, y=7)", seen
