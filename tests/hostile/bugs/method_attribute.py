"""A bound method hands on an attribute of its function."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    def go(self):
        pass


box = Box()
Box.go.n = 0


def write():
    Box.go.n = 1
    Box.go.n = 2


def look():
    assert box.go.n != 1


run(write, look)
