"""A ChainMap looks into a UserDict."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = collections.UserDict(n=0)
chain = collections.ChainMap(table)


def write():
    table["n"] = 1
    table["n"] = 2


def look():
    assert chain["n"] != 1


run(write, look)
