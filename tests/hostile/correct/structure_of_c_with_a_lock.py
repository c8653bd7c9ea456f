"""Threads change fields of a structure of ctypes, one at a time."""

import ctypes
import threading


class Pair(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("numbers", ctypes.c_int * 2)]


pair = Pair()
total = ctypes.c_int()
lock = threading.Lock()


def add():
    with lock:
        pair.number += 1
        pair.numbers[1] += 1
        total.value += 1


threads = [threading.Thread(target=add) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert pair.number == pair.numbers[1] == total.value == 2
