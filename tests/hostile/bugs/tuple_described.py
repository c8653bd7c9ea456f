"""A tuple describes its elements, at the second call of its method as at the first."""

import threading

thing = [1, 2, 3]
same = []


def look():
    first = ((1, 2), thing).__repr__()
    second = ((1, 2), thing).__repr__()
    same.append(first == second)


def change():
    thing[0] = 65


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
