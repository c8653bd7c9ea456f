"""A chain of maps looks into each, one after another."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


first, second = {}, {"a": 1}
chain = collections.ChainMap(first, second)


def move():
    first["a"] = second.pop("a")


def look():
    assert chain["a"] == 1


run(look, move)
