"""`dataclasses.fields` looks into a dictionary of the class, from which another thread takes one."""

import dataclasses
import threading


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


found = []


def count():
    found.append(len(dataclasses.fields(Point)))


def shrink():
    Point.__dataclass_fields__.pop("y")


threads = [threading.Thread(target=each) for each in (count, shrink)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert found == [2]
