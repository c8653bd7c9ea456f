"""Libc chdir."""

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
old = os.getcwd()


def a():
    libc.chdir(b"/")
    libc.chdir(old.encode())


def b():
    assert os.getcwd() == old


run(a, b)
