"""A ctypes object holds the bytes of a bytearray that another thread makes longer."""

import ctypes
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


data = bytearray(4)


def a():
    x = ctypes.c_int.from_buffer(data)
    x.value


def b():
    data.append(1)


run(a, b)
