"""A UserString that is a key equals a text."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {}
key = collections.UserString("a")


def write():
    table[key] = 1
    table[key] = 2


def look():
    assert table.get("a") != 1


run(write, look)
