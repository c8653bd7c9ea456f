"""An array is gone through by a class that is called under another name."""

import threading
from array import array

thing = array("b", [97, 98, 99])
same = []


def look():
    first = [].__class__(thing)
    second = [].__class__(thing)
    same.append(first == second)


def change():
    thing[0] = 65


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
