"""An error of the library describes, in C, the list that it was made of."""

import copy
import threading

thing = [1, 2, 3]
same = []


def look():
    first = repr(copy.Error((thing,)))
    second = repr(copy.Error((thing,)))
    same.append(first == second)


def change():
    thing[0] = 5


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
