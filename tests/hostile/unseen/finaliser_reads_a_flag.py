"""An object in a cycle reads a flag of another thread when it ends, and notes it only then."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Node:
    def __init__(self, *given):
        self.me = self
        self.given = given
        self.closed = False


flag = []
noted = []


class Noting(Node):
    def __del__(self):
        if flag:
            noted.append(1)


def leave():
    node = Noting()
    del node


def work():
    flag.append(1)
    junk = [[] for _ in range(5)]
    flag.clear()
    assert not noted, junk


run(leave, work)
