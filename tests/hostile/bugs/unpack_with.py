"""With manager() as (a, b)."""

import contextlib
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


row = [0, 0]


@contextlib.contextmanager
def manager():
    yield row


def write():
    row[0] = 5
    row[0] = 0


def look():
    with manager() as (a, b):
        assert a == 0


run(write, look)
