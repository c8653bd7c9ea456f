"""A thread that looks into a weak dictionary first finds a value that another one is about to release."""

import threading
import weakref


class Thing:
    n = 1


box = {"a": Thing()}
weak = weakref.WeakValueDictionary(box)
seen = []


def let_go():
    box.pop("a", None)


def look():
    seen.append("a" in weak)


threads = [threading.Thread(target=let_go), threading.Thread(target=look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [False], seen
