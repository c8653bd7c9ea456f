"""A generator hands out the keys of a dictionary that grows."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {1: 1, 2: 2}


def keys():
    yield from table


def look():
    for _ in keys():
        pass


run(look, lambda: table.setdefault(3, 3))
