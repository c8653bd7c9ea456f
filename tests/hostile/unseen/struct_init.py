"""Struct init."""

import struct
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


s = struct.Struct("<i")


def a():
    s.__init__("<q")
    s.__init__("<i")


def b():
    assert len(s.pack(1)) == 4


run(a, b)
