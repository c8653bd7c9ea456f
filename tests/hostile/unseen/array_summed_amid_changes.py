"""NumPy gives the interpreter away amid a sum of a large array, which so misses a change, but not the one after it."""

import threading

import numpy as np

values = np.zeros(1_000_000)


def change():
    values[0] = 1
    values[-1] = 2


def look():
    assert values.sum() != 2


threads = [threading.Thread(target=each) for each in (change, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
