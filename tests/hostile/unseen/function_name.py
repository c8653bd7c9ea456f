"""A function is described while its name is replaced."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def go():
    pass


def write():
    go.__qualname__ = "other"
    go.__qualname__ = "go"


def look():
    assert "other" not in repr(go)


run(write, look)
