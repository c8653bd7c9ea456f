"""Shared memory."""

import threading
from multiprocessing import shared_memory


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


s = shared_memory.SharedMemory(create=True, size=16)
t = shared_memory.SharedMemory(name=s.name)


def a():
    s.buf[0] += 1


def b():
    t.buf[0] += 1


run(a, b)
n = s.buf[0]
t.close()
s.close()
s.unlink()
assert n == 2
