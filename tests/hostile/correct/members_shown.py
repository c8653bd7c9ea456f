"""`inspect.getmembers` shows no weak reference but the program's."""

import inspect
import threading
import weakref


class Box:
    def __init__(self):
        self.number = 1


box, other = Box(), Box()
reference = weakref.ref(other)
lock = threading.Lock()


def add():
    with lock:
        box.number += 1
        other.number += 1


threads = [threading.Thread(target=add) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
members = dict(inspect.getmembers(box, lambda value: not callable(value)))
assert (members["number"], members["__weakref__"]) == (3, None)
assert dict(inspect.getmembers(other))["__weakref__"] is reference
