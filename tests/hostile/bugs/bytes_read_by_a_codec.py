"""A codec reads bytes that grow, and the registry of codecs, in one step."""

import codecs
import threading

data = bytearray(b"abc")
seen = []


def grow():
    data.extend(b"d")
    data.extend(b"d")


def look():
    try:
        seen.append(codecs.decode(data, "hex"))
    except ValueError:
        seen.append("odd")


threads = [threading.Thread(target=each) for each in (grow, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == ["odd"], seen
