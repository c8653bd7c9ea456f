"""max() measures each element of a generator."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


one, two = [], [1]


def write():
    one.extend((1, 2))
    one.clear()


def look():
    assert max((each for each in (one, two)), key=len) is two


run(write, look)
