"""Defaultdict.__missing__ called by name stores."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = collections.defaultdict(int)


def write():
    table.__missing__("a")
    table.__missing__("b")


def look():
    assert len(table) != 1


run(write, look)
