"""Key gives shared lists."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


shared = {1: [1], 2: [2]}


def one():
    assert sorted([1, 2], key=lambda x: shared[x]) == [1, 2]


def two():
    shared[1][0] = 3


run(one, two)
