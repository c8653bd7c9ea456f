"""Table.__init__(a=1) (dict)."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {}


def write():
    table.__init__(a=1)
    table.__init__(b=1)


def look():
    assert len(table) != 1


run(write, look)
