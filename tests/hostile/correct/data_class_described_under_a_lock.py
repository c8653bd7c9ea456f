"""A data class that is changed and described under one lock, and described once more when its threads have ended."""

import dataclasses
import threading


@dataclasses.dataclass
class Point:
    x: int
    y: int


lock = threading.Lock()
point = Point(1, 1)
seen = []


def look():
    with lock:
        seen.append(repr(point))


def change():
    with lock:
        point.x = 7
        point.y = 7


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
seen.append(repr(point))
assert seen in (["Point(x=1, y=1)", "Point(x=7, y=7)"], ["Point(x=7, y=7)", "Point(x=7, y=7)"])
