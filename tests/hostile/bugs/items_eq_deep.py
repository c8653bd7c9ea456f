"""("a", [5]) in table.items(): compares inner lists."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inner = [0]
table = {"a": inner}


def write():
    inner[0] = 5
    inner[0] = 0


def look():
    assert ("a", [5]) not in table.items()


run(write, look)
