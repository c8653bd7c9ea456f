"""`pack_into` writes into an array."""

import struct
import threading
from array import array

thing = array("b", [97, 98, 99])
same = []


def look():
    first = thing[0]
    second = thing[0]
    same.append(first == second)


def change():
    struct.pack_into("b", thing, 0, 5)


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
