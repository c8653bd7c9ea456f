"""`popitem` takes the last item: the key that another thread has added, or none."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {"a": 0}


def add():
    table["b"] = 1


run(add, table.popitem)
assert "a" in table
