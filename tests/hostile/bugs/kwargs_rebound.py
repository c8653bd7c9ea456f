"""*args/**kwargs name rebound to something shared, then {**given}."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {}


def write():
    table["a"] = 1
    table["b"] = 2


def show(**given):
    given = table
    return {**given}


def look():
    assert len(show()) != 1


run(write, look)
