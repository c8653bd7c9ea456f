"""Buffer info alias."""

import array
import ctypes
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


arr = array.array("i", [0])
address, n = arr.buffer_info()
x = ctypes.c_int.from_address(address)


def a():
    arr[0] += 1


def b():
    x.value += 1


run(a, b)
assert arr[0] == 2
