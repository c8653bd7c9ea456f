"""One.__lt__(two) on lists by name."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


one, two = [0], [1]


def write():
    one[0] = 5
    one[0] = 0


def look():
    assert one.__lt__(two)


run(write, look)
