"""Threads that each have a part of an array under a lock."""

import threading

import numpy


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


total = numpy.zeros(2, int)
lock = threading.Lock()


def add(index):
    with lock:
        total[index] += 1


run(lambda: add(0), lambda: add(1))
assert total.tolist() == [1, 1]
