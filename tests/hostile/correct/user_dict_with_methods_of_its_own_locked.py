"""The methods of a class of `UserDict` call those of `UserDict` under a lock."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Counts(collections.UserDict):
    def __init__(self):
        self.lock = threading.RLock()
        super().__init__()

    def __getitem__(self, key):
        with self.lock:
            return super().__getitem__(key)

    def __setitem__(self, key, value):
        with self.lock:
            super().__setitem__(key, value)

    def count(self, key):
        with self.lock:
            self[key] += 1


counts = Counts()
counts["a"] = 0
run(lambda: counts.count("a"), lambda: counts.count("a"))
assert counts.data == {"a": 2}
