"""The variables of a suspended generator are listed while another thread deletes the one that it has from outside."""

import inspect
import threading


def make():
    level = 0

    def values():
        while True:
            yield level

    def drop():
        nonlocal level
        del level

    return values(), drop


values, drop = make()


def look():
    assert inspect.getgeneratorlocals(values) == inspect.getgeneratorlocals(values)


threads = [threading.Thread(target=look), threading.Thread(target=drop)]
for each in threads:
    each.start()
for each in threads:
    each.join()
