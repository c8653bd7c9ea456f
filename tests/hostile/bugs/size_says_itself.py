"""A class defines the size of its instances."""

import sys
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    size = 1

    def __sizeof__(self):
        return self.size


def a():
    box.size = 1000


def b():
    assert sys.getsizeof(box) < 900


box = Box()
run(a, b)
