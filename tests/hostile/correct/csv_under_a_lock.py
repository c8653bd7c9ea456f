"""A csv writer of dictionaries goes through a generator of the library, under a lock."""

import csv
import io
import threading

out = io.StringIO()
rows = csv.DictWriter(out, ["a", "b"])
lock = threading.Lock()


def write():
    with lock:
        rows.writerow({"a": 1, "b": 2})


threads = [threading.Thread(target=write) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert out.getvalue() == "1,2\r\n1,2\r\n"
