"""A finaliser's function in C is called by code in Python, in the midst of which others may move."""

import threading
import weakref


class Thing:
    pass


done = []
box = [Thing()]
end = weakref.finalize(box[0], done.append, 1)
counts = []


def drop():
    box.clear()


def look():
    end.detach()
    counts.append(len(done))


threads = [threading.Thread(target=each) for each in (drop, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert counts[0] == len(done)
