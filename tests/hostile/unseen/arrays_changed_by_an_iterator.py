"""A thread changes one of two arrays by the elements of an iterator over both."""

import threading

import numpy as np

array, more = np.zeros(2), np.ones(2)


def add_to_all():
    for element, other in np.nditer([array, more], op_flags=[["readwrite"], ["readonly"]]):
        element[...] = element + other


def add():
    array[1] = array[1] + 1


threads = [threading.Thread(target=each) for each in (add_to_all, add)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert array[1] == 2
