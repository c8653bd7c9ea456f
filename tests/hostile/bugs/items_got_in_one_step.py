"""Several items that one call of `operator.itemgetter` gets are of one time."""

import operator
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


numbers = [1, 2]


def change():
    numbers[0] = 3


def look():
    assert operator.itemgetter(0, 1)(numbers) != (1, 2)


run(change, look)
