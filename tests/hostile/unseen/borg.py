"""Borg."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Borg:
    state = {}

    def __init__(self):
        self.__dict__ = self.state


one, two = Borg(), Borg()
one.n = 0


def write():
    v = one.n
    one.n = v + 1


def write2():
    v = two.n
    two.n = v + 1


run(write, write2)
assert one.n == 2
