"""Recursion limit."""

import sys
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


def limit():
    sys.setrecursionlimit(60)
    sys.setrecursionlimit(1000)


def use():
    assert deep(100) == 100


run(limit, use)
