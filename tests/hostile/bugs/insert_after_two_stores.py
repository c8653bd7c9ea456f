"""An element that an insertion moves has been stored by either of two threads."""

import threading

things = [0, 1]
seen = []


def take():
    things[0] = 2
    things.insert(0, 9)
    seen.append(things[1])


def store():
    things[0] = 5


threads = [threading.Thread(target=each) for each in (store, take)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [5], "another thread's element"
