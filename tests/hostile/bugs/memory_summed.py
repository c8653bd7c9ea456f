"""`sum` with a start, called by `operator.call` or not, goes through memory."""

import threading

thing = memoryview(bytearray(b"abc"))
same = []


def look():
    first = sum(thing, 1)
    second = sum(thing, 1)
    same.append(first == second)


def change():
    thing[0] = 65


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
