"""Unpack in comprehension."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


row = [0, 0]
rows = [row]


def write():
    row[0] = 5
    row[0] = 0


def look():
    assert [a for a, b in rows] == [0]


run(write, look)
