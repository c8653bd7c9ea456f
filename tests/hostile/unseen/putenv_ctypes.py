"""Putenv ctypes."""

import ctypes
import os
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
os.environ["HB"] = "a"


def a():
    os.environ["HB"] = "b"
    os.environ["HB"] = "a"


def b():
    assert libc.getenv(b"HB") == b"a"


run(a, b)
