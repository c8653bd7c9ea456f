"""`x in b"..."` reads the bytes of a bytearray that is looked for."""

import threading

thing = bytearray(b"abc")
same = []


def look():
    first = thing in b"abcd"
    second = thing in b"abcd"
    same.append(first == second)


def change():
    thing[0] = 65


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
