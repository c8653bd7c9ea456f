"""Input lines."""

import io
import sys
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


sys.stdin = io.StringIO("a\nb\n")
got = {}


def a():
    got["a"] = input()


def b():
    got["b"] = input()


run(a, b)
assert got == {"a": "a", "b": "b"}
