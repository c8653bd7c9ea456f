"""Async exc."""

import ctypes
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    try:
        for i in range(3):
            i
    except KeyError:
        hit.append(1)


hit = []
t = threading.Thread(target=a)
t.start()
ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(t.ident), ctypes.py_object(KeyError))
t.join()
assert not hit
