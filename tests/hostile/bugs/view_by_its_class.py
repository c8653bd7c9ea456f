"""A view made by its class iterates over its dictionary."""

import threading
from collections.abc import KeysView

thing = {"a": 1}
same = []


def look():
    first = repr([*KeysView(thing)])
    second = repr([*KeysView(thing)])
    same.append(first == second)


def change():
    thing["b"] = 2


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
