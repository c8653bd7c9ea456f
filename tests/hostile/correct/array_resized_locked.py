"""An array is resized, which NumPy refuses while anything refers to it weakly."""

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


def grow():
    with lock:
        total.resize(3, refcheck=False)


def look():
    with lock:
        assert len(total) in (2, 3)


run(grow, look)
assert len(total) == 3
