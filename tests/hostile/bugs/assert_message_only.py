"""max() compares instances of a data class by their fields."""

import dataclasses
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


@dataclasses.dataclass(order=True)
class Pair:
    x: int


one, other = Pair(0), Pair(1)


def write():
    one.x = 5
    one.x = 0


def look():
    assert max(one, other) is other


run(write, look)
