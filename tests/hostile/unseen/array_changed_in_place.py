"""NumPy gives the interpreter away while it goes through a large array: changes in place get lost."""

import threading

import numpy as np

values = np.zeros(1_000_000)


def add():
    global values
    values += 1


threads = [threading.Thread(target=add) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert (values == 2).all()
