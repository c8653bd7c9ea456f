"""Time of an old file."""

import os
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


open("old", "w").close()
t = os.path.getmtime(__file__)


def one():
    assert os.path.getmtime(__file__) == t


run(one, one)
