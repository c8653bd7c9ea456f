"""A loop over a proxy of a dictionary begins before or after a change of it."""

import threading
import types


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


things = {"a": 1}
proxy = types.MappingProxyType(things)


def look():
    try:
        names = [each for each in proxy]
    except RuntimeError:  # the loop had begun before the change
        return
    assert names != ["a", "b"]


def change():
    things["b"] = 2


run(look, change)
