"""Seteuid."""

import os
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    os.seteuid(1)
    os.seteuid(0)


def b():
    assert os.geteuid() == 0


run(a, b)
