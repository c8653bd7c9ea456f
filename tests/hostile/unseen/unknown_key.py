"""A key that compares itself equals a text."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Key:
    def __hash__(self):
        return hash("a")

    def __eq__(self, other):
        return other == "a" or other is self


key = Key()
table = {}


def write():
    table[key] = 1
    table[key] = 2


def look():
    assert table.get("a") != 1


run(write, look)
