"""A stream in memory is given attributes by a method in C."""

import io
import threading

stream = io.StringIO()
state = ("", None, 0, {"owner": "a"})
seen = []


def look():
    seen.append((getattr(stream, "owner", None), hasattr(stream, "owner")))


def claim():
    stream.__setstate__(state)


threads = [threading.Thread(target=each) for each in (look, claim)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [(None, True)]
