"""Key gives lists locked."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Marks:
    def __init__(self):
        self.m = {1: [1], 2: [2]}

    def of(self, x):
        return self.m[x]


marks = Marks()
lock = threading.Lock()


def one():
    with lock:
        assert max([1, 2], key=marks.of) in (1, 2)


def two():
    with lock:
        marks.m[1][0] = 3


run(one, two)
