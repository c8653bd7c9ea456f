"""Two views of one array show the same bytes."""

import threading

import numpy


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


base = numpy.zeros(4, int)
half, square = base[2:], base.reshape(2, 2)


def by_half():
    half[0] += 1


def by_square():
    square[1, 0] += 1


run(by_half, by_square)
assert base[2] == 2
