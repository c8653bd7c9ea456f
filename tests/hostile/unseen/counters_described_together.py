"""`str` of a pair calls a method in Python for each of its elements: a change may come in between."""

import collections
import threading

counts = collections.Counter(a=1)
seen = []


def look():
    seen.append(str((counts, counts)))


def change():
    counts["a"] = 7


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen[0] in ("(Counter({'a': 1}), Counter({'a': 1}))", "(Counter({'a': 7}), Counter({'a': 7}))"), seen
