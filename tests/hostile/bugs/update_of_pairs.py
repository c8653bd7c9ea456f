"""Table.update(pairs) with pairs lists: reads inner pairs."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


pair = ["a", 1]
pairs = [pair]


def write():
    pair[1] = 2
    pair[1] = 1


def look():
    table = {}
    table.update(pairs)
    assert table == {"a": 1}


run(write, look)
