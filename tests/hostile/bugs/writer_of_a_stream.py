"""A writer of CSV changes the stream whose method it was given."""

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
writer = csv.writer(out)


def write():
    writer.writerow([1])
    writer.writerow([2])


def look():
    assert out.getvalue().count("\n") != 1


run(write, look)
