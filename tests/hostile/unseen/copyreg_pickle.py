"""Copyreg pickle."""

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


def red(p):
    return (int, ("7",))


def a():
    copyreg.pickle(P, red)


def b():
    p = P()
    assert len(pickle.dumps(p)) == len(pickle.dumps(p))


run(a, b)
