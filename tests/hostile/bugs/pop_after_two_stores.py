"""An element that is popped has been stored by either of two threads."""

import threading

things = [0, 1]
seen = []


def take():
    things[0] = 2
    seen.append(things.pop(0))


def store():
    things[0] = 5


threads = [threading.Thread(target=each) for each in (store, take)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [5], "another thread's element"
