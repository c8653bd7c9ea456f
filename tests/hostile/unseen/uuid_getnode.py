"""Uuid getnode."""

import threading
import uuid


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    uuid._node = 5


def b():
    assert uuid.getnode() == uuid.getnode()


uuid._node = 7
run(a, b)
