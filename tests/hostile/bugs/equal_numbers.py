"""A key that equals another of a different kind is the same key."""

import decimal
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {1: 0}


def add(key):
    table[key] = table[key] + 1


run(lambda: add(1), lambda: add(decimal.Decimal(1)))
assert table[1] == 2
