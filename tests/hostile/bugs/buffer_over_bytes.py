"""Two threads read from a buffer over bytes in memory."""

import io
import threading

thing = io.BufferedReader(io.BytesIO(b"xy"))
seen = []


def first():
    seen.append(thing.read(1))


def second():
    thing.read(1)


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [b"x"]
