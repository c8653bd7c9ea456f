"""Objects of a data class, copied and compared under a lock."""

import dataclasses
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


@dataclasses.dataclass
class Point:
    x: int = 0
    y: list = dataclasses.field(default_factory=list)


point = Point()
lock = threading.Lock()


def change():
    with lock:
        point.x += 1
        point.y.append(point.x)


def look():
    with lock:
        assert dataclasses.asdict(point) in ({"x": 0, "y": []}, {"x": 1, "y": [1]})


run(change, look)
assert point == Point(1, [1])
