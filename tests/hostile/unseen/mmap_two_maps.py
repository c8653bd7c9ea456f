"""Mmap two maps."""

import mmap
import tempfile
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


f = tempfile.TemporaryFile()
f.write(b"\0" * 16)
f.flush()
one, two = mmap.mmap(f.fileno(), 16), mmap.mmap(f.fileno(), 16)


def a():
    one[0] = one[0] + 1


def b():
    two[0] = two[0] + 1


run(a, b)
assert one[0] == 2
