"""Items.__str__() by name."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [0]


def write():
    items[0] = 5
    items[0] = 0


def look():
    assert items.__str__() == "[0]"


run(write, look)
