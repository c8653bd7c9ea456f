"""Functools.lru_cache over a bound C method (items.pop)."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]
take = functools.lru_cache(None)(items.pop)


def look():
    if items:
        items[0]


def clear():
    take()


run(look, clear)
