"""A copy with attr.evolve() reads the attributes while another thread changes them."""

import threading

import attr


@attr.define
class Point:
    x: int
    y: int


point = Point(0, 0)


def move():
    point.y = 1
    point.x = 1


def use():
    copied = attr.evolve(point)
    assert not (copied.x == 0 and copied.y == 1)


threads = [threading.Thread(target=each) for each in (move, use)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
