"""Copyreg extension."""

import copyreg
import pickle
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class P:
    pass


def a():
    copyreg.add_extension("__main__", "P", 0xF0)


def b():
    assert len(pickle.dumps(int)) == len(pickle.dumps(int))


class Q:
    pass


def c():
    copyreg.add_extension("builtins", "int", 0xF1)


run(c, b)
