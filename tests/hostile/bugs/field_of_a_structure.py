"""A field of a C structure is read, and written back."""

import ctypes
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Pair(ctypes.Structure):
    _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_int))


pair = Pair(1, 2)


def add():
    pair.a += 1


run(add, add)
assert pair.a == 3
