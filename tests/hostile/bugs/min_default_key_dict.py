"""Min(table, key=table.get) compares inner lists."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inner = [0]
table = {"a": inner, "b": [1]}


def write():
    inner[0] = 5
    inner[0] = 0


def look():
    assert min(table, key=table.get) == "a"


run(write, look)
