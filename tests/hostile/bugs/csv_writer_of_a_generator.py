"""A csv writer goes through a generator: rows of two threads mix."""

import csv
import io
import threading

out = io.StringIO()
rows = csv.writer(out)


def write():
    rows.writerow(each for each in (1, 2))


threads = [threading.Thread(target=write) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert out.getvalue() == "1,2\r\n1,2\r\n"
