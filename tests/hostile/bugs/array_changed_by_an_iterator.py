"""A thread changes an array by the elements of an iterator over it."""

import threading

import numpy as np

array = np.zeros(2)


def add_to_all():
    for element in np.nditer(array, op_flags=["readwrite"]):
        element[...] = element + 1


def add():
    array[1] = array[1] + 1


threads = [threading.Thread(target=each) for each in (add_to_all, add)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert array[1] == 2
