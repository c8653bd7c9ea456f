"""An object whose comparison asks `object.__getattribute__`, under a lock."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    def __init__(self, n):
        self.n = n

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)

    def __eq__(self, other):
        return self.n == getattr(other, "n", other)


box, lock = Box(0), threading.Lock()


def work():
    with lock:
        box.n += 1
        assert box in (Box(1), 2)


run(work, work)
assert box == 2
