"""Threads change fields of one element of a structured array, one at a time."""

import threading

import numpy as np

pairs = np.zeros(1, dtype=[("x", "i4"), ("y", "i4")])
lock = threading.Lock()


def add():
    with lock:
        pairs[0]["x"] += 1
        pairs[0]["y"] += 1


threads = [threading.Thread(target=add) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert pairs[0]["x"] == pairs[0]["y"] == 2
