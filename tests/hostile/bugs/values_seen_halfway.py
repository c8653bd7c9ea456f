"""The values of a dictionary that is empty at first are listed between two stores of another thread."""

import threading

prices = {}
seen = []


def list_them():
    seen.append(list(prices.values()))


def set_twice():
    prices["tea"] = 1
    prices["tea"] = 2


threads = [threading.Thread(target=each) for each in (list_them, set_twice)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen[0] != [1]
