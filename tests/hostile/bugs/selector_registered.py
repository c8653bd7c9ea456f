"""A thread removes a descriptor from a selector that another one has yet to register."""

import os
import selectors
import threading

r, w = os.pipe()
s = selectors.DefaultSelector()


def a():
    s.register(r, selectors.EVENT_READ)


def b():
    s.unregister(r)


threads = [threading.Thread(target=f) for f in (a, b)]
for each in threads:
    each.start()
for each in threads:
    each.join()
