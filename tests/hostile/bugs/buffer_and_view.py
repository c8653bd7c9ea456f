"""Bytes, and a view of a part of them."""

import struct
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


data = bytearray(4)
half = memoryview(data)[2:]


def by_view():
    half[0] += 1


def by_struct():
    (n,) = struct.unpack_from("B", data, 2)
    struct.pack_into("B", data, 2, n + 1)


run(by_view, by_struct)
assert data[2] == 2
