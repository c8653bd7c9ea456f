"""The number of functions to be called at exit changes between two looks at it, by another thread."""

import atexit
import threading


def nothing():
    pass


def look():
    seen.append(atexit._ncallbacks())
    seen.append(atexit._ncallbacks())


seen = []
threads = [threading.Thread(target=look), threading.Thread(target=atexit.register, args=(nothing,))]
for each in threads:
    each.start()
for each in threads:
    each.join()
atexit.unregister(nothing)
assert seen[0] == seen[1]
