"""The list of the maps of a `ChainMap` grows while another thread counts its keys."""

import collections
import threading

thing = collections.ChainMap({"a": 1}, {"b": 2})
seen = []


def first():
    seen.append(len(thing))


def second():
    thing.maps.append({"c": 3})


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [2]
