"""Ctypes cast alias."""

import ctypes
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


arr = (ctypes.c_int * 2)()
p = ctypes.cast(arr, ctypes.POINTER(ctypes.c_int))


def a():
    arr[0] += 1


def b():
    p[0] += 1


run(a, b)
assert arr[0] == 2
