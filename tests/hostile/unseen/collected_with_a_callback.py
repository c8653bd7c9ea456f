"""Collected with a callback."""

import threading
import weakref


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Node:
    pass


log = []
keep = []


def gone(r):
    log.append(1)


def one():
    for i in range(2000):
        n = Node()
        n.me = n
        keep.append(weakref.ref(n, gone))


def two():
    assert not log


run(one, two)
