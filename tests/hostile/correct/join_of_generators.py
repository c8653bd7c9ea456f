"""Each thread joins a generator of its own, which reads a list that another thread changes under a lock."""

import threading


class Writer:
    concat = "".join


writer = Writer()
lock = threading.Lock()
parts = ["a", "a"]
got = []


def read():
    for each in parts:
        yield each


def write():
    with lock:
        got.append(writer.concat(read()))


def change():
    with lock:
        parts[0] = "b"
        parts[1] = "b"


threads = [threading.Thread(target=each) for each in (write, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert got[0] in ("aa", "bb"), got
