"""Threads that wait for a lock have objects at hand whose classes compute their `__class__`."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Shy:
    def __init__(self):
        self.looks = 0

    @property
    def __class__(self):
        self.looks += 1
        return int


class Box:
    def __init__(self, lock):
        self.lock = lock


def work():
    shy = Shy()
    box = Box(locks[0])
    with box.lock:
        counts.append(object.__getattribute__(shy, "looks"))
    assert shy.looks == 0


locks = [threading.Lock()]
counts = []
run(work, work)
