"""A set is looked for among frozensets, which it equals."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


have = set()
one = frozenset({1})


def write():
    have.add(one)
    have.discard(one)


def look():
    assert {1} not in have


run(write, look)
