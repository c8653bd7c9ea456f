"""The first worker counts only if the second has begun; so most orders never show that both count."""

import threading

begun = False
count = 0
expected = 1


def first():
    global count, expected
    if begun:
        expected = 2
        count = count + 1


def second():
    global begun, count
    begun = True
    count = count + 1


threads = [threading.Thread(target=body) for body in (first, second)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert count == expected, f"{count} of {expected} counted"
