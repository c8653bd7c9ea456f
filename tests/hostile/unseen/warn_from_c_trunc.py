"""Warn from c trunc."""

import threading
import warnings


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


warnings.simplefilter("ignore")


class T:
    def __trunc__(self):
        return 3


t = T()


def a():
    warnings.simplefilter("error")
    warnings.simplefilter("ignore")


def b():
    assert int(t) == 3


run(a, b)
