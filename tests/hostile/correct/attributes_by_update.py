"""Attributes by update."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    def __init__(self, **named):
        self.__dict__.update(named)

    def get(self):
        return self.n


got = []
lock = threading.Lock()


def one():
    box = Box(n=1)
    with lock:
        got.append(box.get())


run(one, one)
assert got == [1, 1]
