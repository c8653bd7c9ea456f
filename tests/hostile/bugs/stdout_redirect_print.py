"""Stdout redirect print."""

import contextlib
import io
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


out = io.StringIO()


def a():
    with contextlib.redirect_stdout(out):
        pass


def b():
    print("x")


run(a, b)
assert out.getvalue() == ""
