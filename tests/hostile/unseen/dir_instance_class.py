"""dir() of an instance lists the attributes of its class."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    pass


box = Box()


def write():
    Box.n = 1
    del Box.n


def look():
    assert "n" not in dir(box)


run(write, look)
