"""Stdout swapped."""

import io
import sys
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


old = sys.stdout
out = io.StringIO()


def a():
    sys.stdout = out
    sys.stdout = old


def b():
    print("x")


run(a, b)
assert out.getvalue() == ""
