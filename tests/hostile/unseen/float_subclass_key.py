"""A key of a class derived from float equals an int."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class F(float):
    pass


table = {}
key = F(1.0)


def write():
    table[key] = 1
    table[key] = 2


def look():
    assert table.get(1) != 1


run(write, look)
