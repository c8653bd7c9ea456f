"""A member leaves a weak collection a little later than the step that releases it."""

import threading
import weakref


class Thing:
    pass


box = {"a": Thing(), "b": Thing()}
weak = weakref.WeakValueDictionary(box)
seen = []


def work():
    box.pop("a", None)
    seen.append(len(weak))


threads = [threading.Thread(target=work) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [1, 1], seen
