"""Numbers of files."""

import os
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inos = {}
files = {}


def one():
    files["a"] = open("a", "w")


def two():
    files["b"] = open("b", "w")


run(one, two)
assert os.fstat(files["a"].fileno()).st_ino < os.fstat(files["b"].fileno()).st_ino
