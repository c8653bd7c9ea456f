"""Gc threshold."""

import gc
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


ends = []


def one():
    gc.set_threshold(5)
    for _ in range(20):
        n = Node()
        n.me = n
        weakref.finalize(n, ends.append, 1)


def two():
    assert not ends


run(one, two)
