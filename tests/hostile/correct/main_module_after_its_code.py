"""Threads and exit functions that go on after the code of the script find it as ``__main__``, as before."""

import atexit
import sys
import threading

lock = threading.Lock()
total = 0


def add():
    global total
    with lock:
        total += 1


def at_exit():
    assert sys.modules["__main__"].add is add


atexit.register(at_exit)
for _ in range(2):
    threading.Thread(target=add).start()
