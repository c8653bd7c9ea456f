"""`x in (a, b)` compares by content, though the tuple is new."""

import threading

thing = bytearray(b"abc")
same = []


def look():
    first = thing in (b"xyz", b"abc")
    second = thing in (b"xyz", b"abc")
    same.append(first == second)


def change():
    thing[0] = 65


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
