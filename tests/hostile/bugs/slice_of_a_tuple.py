"""Two threads take all items, by an assignment to a slice among others."""

import threading

items, taken = [1, 2, 3], []


def take():
    items[:], old = [], items[:]
    taken.extend(old)


threads = [threading.Thread(target=take) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sorted(taken) == [1, 2, 3]
