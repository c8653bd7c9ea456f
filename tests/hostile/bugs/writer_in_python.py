"""The same by a class of the library that is written in Python."""

import csv
import io
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


out = io.StringIO()
writer = csv.DictWriter(out, ["a"])


def write():
    writer.writerow({"a": 1})
    writer.writerow({"a": 2})


def look():
    assert out.getvalue().count("\n") != 1


run(write, look)
