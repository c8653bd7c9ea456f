"""An element of a structured array shows the bytes of the array: a thread sees one of two fields changed."""

import threading

import numpy as np

pairs = np.zeros(1, dtype=[("x", "i4"), ("y", "i4")])


def change():
    pairs[0]["x"] = 1
    pairs[0]["y"] = 1


def look():
    pair = pairs[0]
    assert pair["x"] == pair["y"]


threads = [threading.Thread(target=each) for each in (change, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
