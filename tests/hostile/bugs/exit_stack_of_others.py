"""A stack that one thread fills is emptied by another one."""

import contextlib
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    stack.callback(found.append, 1)


def b():
    stack.close()


found = []
stack = contextlib.ExitStack()
run(a, b)
assert found
