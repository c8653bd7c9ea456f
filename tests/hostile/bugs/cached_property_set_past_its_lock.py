"""A result is stored past a cached property, which looks for one again when it has its lock."""

import functools
import threading


class Thing:
    @functools.cached_property
    def size(self):
        return 1


thing = Thing()
seen = []


def first():
    thing.size = 7


def second():
    seen.append(thing.size)


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [7]
