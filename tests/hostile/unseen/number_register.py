"""Numbers.Number.register(C)."""

import numbers
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Mine:
    pass


mine = Mine()


def write():
    numbers.Number.register(Mine)


def look():
    a = isinstance(mine, numbers.Number)
    b = isinstance(mine, numbers.Number)
    assert a == b


run(write, look)
