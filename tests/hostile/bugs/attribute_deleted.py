"""Deleting an attribute reads it, too: the second finds none."""

import threading
import types


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


box = types.SimpleNamespace()


def go():
    box.x = 1
    del box.x


run(go, go)
