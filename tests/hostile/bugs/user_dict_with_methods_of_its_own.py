"""The methods of a class of `UserDict` call those of `UserDict`."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Counts(collections.UserDict):
    def __getitem__(self, key):
        return super().__getitem__(key)

    def __setitem__(self, key, value):
        super().__setitem__(key, value)


counts = Counts(a=0)


def count():
    counts["a"] += 1


run(count, count)
assert counts.data == {"a": 2}
