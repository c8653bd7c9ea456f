"""A stream is a key of a weak dictionary until a thread lets go of it."""

import io
import threading
import weakref

locks = weakref.WeakKeyDictionary()
box = [io.StringIO()]
seen = []


def work():
    locks[box[0]] = 1
    box.clear()


def look():
    seen.append(len(locks))
    seen.append(len(locks))


threads = [threading.Thread(target=each) for each in (work, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [1, 0]
