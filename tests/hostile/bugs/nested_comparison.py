"""Comparing tuples looks into the lists in them."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inner = [1]


def look():
    assert (1, inner) == (1, [1])


def change():
    inner.append(2)
    inner.pop()


run(look, change)
