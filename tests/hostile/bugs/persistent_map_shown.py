"""A persistent map in C never changes, but a list in it does while the map is shown."""

import threading

import rpds

found = rpds.HashTrieMap({"a": [0]})


def use():
    first = repr(found)
    assert repr(found) == first


def change():
    found["a"].append(1)


threads = [threading.Thread(target=each) for each in (use, change)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
