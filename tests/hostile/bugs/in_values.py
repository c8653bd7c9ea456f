"""[5] in table.values(): compares inner lists."""

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
    assert [5] not in table.values()


run(write, look)
