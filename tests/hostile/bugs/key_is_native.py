"""A sort whose key is a method in C: it looks into a dictionary."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


order = {"a": 1, "b": 2}


def look():
    assert sorted("ba", key=order.__getitem__) == ["a", "b"]


def change():
    order["a"] = 3
    order["a"] = 0


run(look, change)
