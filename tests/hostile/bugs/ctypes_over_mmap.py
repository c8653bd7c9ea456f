"""Ctypes over mmap."""

import ctypes
import mmap
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


m = mmap.mmap(-1, 8)
v = ctypes.c_int.from_buffer(m)


def one():
    v.value += 1


def two():
    m[0] = 5


run(one, two)
assert v.value in (5, 6)
