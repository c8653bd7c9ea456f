"""A method of a new bytearray reads the bytes of an array."""

import threading
from array import array

thing = array("b", [97, 98, 99])
same = []


def look():
    first = bytearray(b"Abcd").startswith(thing)
    second = bytearray(b"Abcd").startswith(thing)
    same.append(first == second)


def change():
    thing[0] = 65


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
