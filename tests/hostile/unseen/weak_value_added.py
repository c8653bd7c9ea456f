"""A value that was put into a weak dictionary, and released two steps later, is found there in between."""

import threading
import weakref


class Thing:
    pass


live = weakref.WeakValueDictionary()
flag = []


def add():
    thing = Thing()
    live["a"] = thing
    flag.append(1)
    del thing
    flag.append(2)


def look():
    n = len(flag)
    assert not (n == 1 and "a" in live)


threads = [threading.Thread(target=each) for each in (add, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
