"""dir() lists the attributes of a class."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    pass


def write():
    Box.n = 1
    del Box.n


def look():
    assert "n" not in dir(Box)


run(write, look)
