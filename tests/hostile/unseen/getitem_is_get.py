"""__getitem__ = dict.get in a dict subclass."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Table(dict):
    __getitem__ = dict.get


table = Table(n=0)


def write():
    table["n"] = 1
    table["n"] = 2


def look():
    assert table["n"] != 1


run(write, look)
