"""`new_child` makes a map by `self.__class__`."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


chain = collections.ChainMap({"a": 1})
lock = threading.Lock()
got = []


def look():
    with lock:
        got.append(chain.new_child({"a": 5})["a"])


def ask():
    with lock:
        got.append("b" in chain)


run(look, ask)
assert sorted(got) == [False, 5]
