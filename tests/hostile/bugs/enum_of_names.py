"""Enum.Enum("Letters", shared_names): goes through a shared list."""

import enum
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


names = ["A"]


def write():
    names.append("B")
    names.append("C")


def look():
    found = enum.Enum("Letters", names)
    assert len(found) != 2


run(write, look)
