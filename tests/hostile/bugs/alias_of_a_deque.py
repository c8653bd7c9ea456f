"""The description of a class with parameters shows these."""

import collections
import threading

thing = collections.deque([1])
seen = []


def look():
    seen.append(repr(list[thing]))


def change():
    thing[0] = 5


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == ["list[deque([1])]"]
