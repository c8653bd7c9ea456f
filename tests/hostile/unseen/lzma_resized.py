"""Lzma resized."""

import lzma
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


buf = bytearray(5000)
c = lzma.LZMACompressor()


def one():
    c.compress(buf)


def two():
    buf.append(1)


run(one, two)
