"""The end of a stack adds the elements of an iterator that another thread has advanced meanwhile."""

import contextlib
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    with contextlib.ExitStack() as stack:
        stack.callback(found.extend, coming)
        ready.set()


def b():
    ready.wait()
    next(coming, None)


found = []
coming = iter([1, 2])
ready = threading.Event()
run(a, b)
assert found == [1, 2]
