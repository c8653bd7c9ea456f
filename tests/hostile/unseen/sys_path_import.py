"""Sys path import."""

import os
import sys
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


with open("hbmod_x.py", "w") as f:
    f.write("x = 1")
here = os.getcwd()


def a():
    sys.path.insert(0, here)


def b():
    import hbmod_x


run(a, b)
