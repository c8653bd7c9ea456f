"""Two threads add to a field of one record, one of them by way of the array."""

import threading

import numpy as np

records = np.rec.array([(0, 0)], dtype=[("x", "i4"), ("y", "i4")])
record = records[0]


def add():
    record.x = record.x + 1


def add_by_array():
    records["x"][0] = records["x"][0] + 1


threads = [threading.Thread(target=each) for each in (add, add_by_array)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert record.x == 2
