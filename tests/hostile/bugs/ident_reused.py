"""Ident reused."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


ids = set()


def a():
    ids.add(threading.get_ident())


run(a, a)
assert len(ids) == 2
