"""A stream in memory has attributes like other objects, which threads store while others look for them."""

import io
import threading

stream = io.StringIO()
seen = []


def look():
    seen.append((getattr(stream, "owner", None), hasattr(stream, "owner")))


def claim():
    stream.owner = "a"


threads = [threading.Thread(target=each) for each in (look, claim)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [(None, True)]
