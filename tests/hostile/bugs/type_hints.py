"""Typing.get_type_hints(C) reads C.__annotations__ (shared dict)."""

import threading
import typing


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Thing:
    a: int


def write():
    Thing.__annotations__["b"] = int
    Thing.__annotations__["c"] = int


def look():
    assert len(typing.get_type_hints(Thing)) != 2


run(write, look)
