"""Keys of `functools.cmp_to_key` compare by a method in C that changes a dictionary."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    key("a") < key(0)


def b():
    assert not calls


calls = {}
key = functools.cmp_to_key(calls.setdefault)
run(a, b)
