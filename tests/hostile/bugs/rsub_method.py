"""Set.__rsub__ by name."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


have = set()


def write():
    have.add(1)
    have.clear()


def look():
    assert have.__rsub__({1}) == {1}


run(write, look)
