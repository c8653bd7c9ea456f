"""A text stream gives its buffer away; later operations fail without a look at the buffer."""

import io
import threading

thing = io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"xy")), "ascii")
seen = []


def first():
    thing.detach()


def second():
    try:
        seen.append(thing.readable())
    except ValueError:
        seen.append(False)


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [False]
