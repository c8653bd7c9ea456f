"""An array of C numbers, by itself and by a view."""

import ctypes
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


numbers = (ctypes.c_int * 2)()
view = memoryview(numbers).cast("B").cast("i")


def by_index():
    numbers[0] += 1


def by_view():
    view[0] += 1


run(by_index, by_view)
assert numbers[0] == 2
