"""A cache is asked again before it is cleared, and keeps the old answer."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


limit = 1


@functools.lru_cache
def answer():
    return limit


def change():
    global limit
    limit = 2
    answer.cache_clear()


def ask():
    answer()


run(change, ask, ask)
assert answer() == 2 or limit == 1
answer.cache_clear()
seen = []


def compute():
    seen.append(answer())


def change_again():
    global limit
    answer.cache_clear()
    limit = 3


run(compute, change_again)
assert answer() == 3
