"""A list that is empty at first is written as a row of a table between two changes by another thread."""

import csv
import io
import threading

out = io.StringIO()
writer = csv.writer(out)
row = []


def write():
    writer.writerow(row)


def fill():
    row.append(1)
    row[0] = 2


threads = [threading.Thread(target=each) for each in (write, fill)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert out.getvalue() != "1\r\n"
