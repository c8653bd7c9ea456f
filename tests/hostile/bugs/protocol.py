"""Isinstance with a runtime_checkable Protocol reads attributes."""

import threading
import typing


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


@typing.runtime_checkable
class Named(typing.Protocol):
    title: str


class Thing:
    pass


thing = Thing()


def write():
    thing.title = 1
    del thing.title


def look():
    assert not isinstance(thing, Named)


run(write, look)
