"""A thread renames the field of a structured array that another one reads."""

import threading

import numpy as np

array = np.zeros(1, dtype=[("x", "i4")])


def rename():
    array.dtype.names = ("y",)


threads = [threading.Thread(target=lambda: array["x"]), threading.Thread(target=rename)]
for each in threads:
    each.start()
for each in threads:
    each.join()
