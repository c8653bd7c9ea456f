"""Memfd."""

import os
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


fd = os.memfd_create("x")
os.write(fd, b"0")


def add():
    n = int(os.pread(fd, 1, 0))
    os.pwrite(fd, b"%d" % (n + 1), 0)


run(add, add)
assert os.pread(fd, 1, 0) == b"2"
