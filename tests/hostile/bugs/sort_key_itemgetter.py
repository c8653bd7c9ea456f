"""Rows.sort(key=itemgetter(0)) reads inner rows."""

import operator
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inner = [0]
rows = [[1], inner]


def write():
    inner[0] = 5
    inner[0] = 0


def look():
    rows.sort(key=operator.itemgetter(0))
    assert rows[0] is inner


run(write, look)
