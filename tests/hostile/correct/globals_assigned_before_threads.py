"""A module's namespace gets a name by ``globals()`` while no other thread runs, as modules do that import lazily."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def __getattr__(name):
    globals()[name] = value = 1
    return value


def begin():
    __getattr__("made_late")


def look():
    assert made_late == 1  # noqa: F821


run(int)
begin()
run(look, look)
