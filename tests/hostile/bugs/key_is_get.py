"""A key function in C looks a value up that another thread changes."""

import heapq
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    found = heapq.nsmallest(2, [1, 2], key=ranks.get)
    assert found == [1, 2]


def b():
    ranks[1] = 5


ranks = {1: 1, 2: 2}
run(a, b)
