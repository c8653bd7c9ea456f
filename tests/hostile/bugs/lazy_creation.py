"""enumerate() remembers the size of a dictionary before it goes through it."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {1: 1}


def look():
    a = len(table)
    lazy = enumerate(table)
    try:
        b = len(list(lazy))
    except RuntimeError:
        b = a
    assert a == b


def grow():
    table[2] = 2


run(look, grow)
