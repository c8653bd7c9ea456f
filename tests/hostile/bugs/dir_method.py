"""An object is asked for its attributes by __dir__()."""

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
    box.n = 1
    del box.n


def look():
    assert "n" not in box.__dir__()


run(write, look)
