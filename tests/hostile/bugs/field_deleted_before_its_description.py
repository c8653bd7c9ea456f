"""A field of a data class is deleted: its description fails then, without a read of the missing field."""

import dataclasses
import threading


@dataclasses.dataclass
class Point:
    x: int = 1
    y: int = 2


point = Point()
seen = []
del Point.x


def first():
    del point.x


def second():
    try:
        seen.append(repr(point))
    except AttributeError:
        seen.append("")


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [""]
