"""Elements of a NumPy array: `+=` is a read and a write."""

import threading

import numpy


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


total = numpy.zeros(1, int)


def add():
    total[0] += 1


run(add, add)
assert total[0] == 2
