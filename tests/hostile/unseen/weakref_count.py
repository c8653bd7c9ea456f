"""Weak references to an object are counted."""

import threading
import weakref


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Token:
    pass


token = Token()


def write():
    r = weakref.ref(token)
    r()


def look():
    a = weakref.getweakrefcount(token)
    b = weakref.getweakrefcount(token)
    assert a == b


run(write, look)
