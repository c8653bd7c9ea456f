"""The values that a generator yields to the method `join` of a text, kept as an attribute, change meanwhile."""

import threading


class Writer:
    concat = "".join


writer = Writer()
parts = ["a", "a"]
got = []


def read():
    for index in range(2):
        yield parts[index]


def write():
    got.append(writer.concat(read()))


def change():
    parts[0] = "b"
    parts[1] = "b"


threads = [threading.Thread(target=each) for each in (write, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert got[0] in ("aa", "bb"), got
