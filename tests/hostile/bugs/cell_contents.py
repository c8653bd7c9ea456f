"""A variable of a closure, looked at by way of its cell."""

import threading


def make():
    n = 0

    def bump():
        nonlocal n
        n += 1

    def show():
        return n

    return bump, show


bump, show = make()
seen = []


def look():
    seen.append((show(), show.__closure__[0].cell_contents))


threads = [threading.Thread(target=look), threading.Thread(target=bump)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen[0][0] == seen[0][1], seen
