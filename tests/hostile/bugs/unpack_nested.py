"""(a, b), c = rows: unpacks the inner list."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


row = [0, 0]
rows = (row, 1)


def write():
    row[0] = 5
    row[0] = 0


def look():
    (a, b), c = rows
    assert a == 0


run(write, look)
