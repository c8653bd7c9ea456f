"""A hash takes in much of a bytearray that another thread makes longer."""

import hashlib
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


data = bytearray(30_000_000)
h = hashlib.sha256()


def a():
    h.update(data)


def b():
    data.append(1)


run(a, b)
