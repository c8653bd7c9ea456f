"""An object in a cycle closes another one, which its thread still uses, whenever garbage is collected."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Other:
    closed = False

    def close(self):
        self.closed = True


class Node:
    def __init__(self, *given):
        self.me = self
        self.given = given
        self.closed = False


class Owner(Node):
    def __del__(self):
        self.given[0].close()


def work():
    other = Other()
    owner = Owner(other)
    del owner
    junk = [[] for _ in range(5)]
    assert not other.closed, junk


run(work, work)
