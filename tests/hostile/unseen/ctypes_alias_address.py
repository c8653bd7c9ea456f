"""Ctypes alias address."""

import ctypes
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


x = ctypes.c_int(0)
y = ctypes.c_int.from_address(ctypes.addressof(x))


def a():
    x.value += 1


def b():
    y.value += 1


run(a, b)
assert x.value == 2
