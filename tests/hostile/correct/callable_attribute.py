"""Callable objects in attributes of an object that threads share are called."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Add:
    def __call__(self, one, other):
        return one + other


class Box:
    add = Add()

    def __init__(self):
        self.plus = Add()


def work():
    for _ in range(3):
        assert box.add(1, 2) == box.plus(1, 2) == 3


box = Box()
run(work, work)
