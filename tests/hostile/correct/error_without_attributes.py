"""An error that has no attributes shows that when it is reduced: looking at it gives it none."""

import threading

error = ValueError("a", 1)
guard = threading.Lock()
seen = []


def reduce():
    with guard:
        seen.append(error.__reduce__()[1:])


def look():
    with guard:
        seen.append(error.__suppress_context__)


threads = [threading.Thread(target=each) for each in (reduce, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert (("a", 1),) in seen, seen
