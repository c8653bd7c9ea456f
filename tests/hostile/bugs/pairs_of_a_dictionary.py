"""A dictionary made of pairs reads the pairs, which are lists."""

import threading
from collections import defaultdict

thing = ["a", "b"]
same = []


def look():
    first = dict(defaultdict(None, [thing]))
    second = dict(defaultdict(None, [thing]))
    same.append(first == second)


def change():
    thing[0] = "c"


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
