"""A chain of maps that only one thread has used so far gets other maps."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


chain = collections.ChainMap({"a": 1})


def look():
    assert list(chain) == ["b"]


run(lambda: chain.__init__({"b": 2}), look)
