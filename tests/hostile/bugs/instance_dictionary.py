"""A change of the dictionary of an instance changes its attributes."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Thing:
    pass


thing = Thing()
thing.n = 1


def look():
    if hasattr(thing, "n"):
        thing.n


run(look, vars(thing).clear)
