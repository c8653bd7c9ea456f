"""Hardlink alias."""

import os
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


open("f_h1", "w").write("0")
os.link("f_h1", "f_h2")


def add(name):
    n = int(open(name).read())
    fd = os.open(name, os.O_WRONLY)
    os.write(fd, b"%d" % (n + 1))
    os.close(fd)


run(lambda: add("f_h1"), lambda: add("f_h2"))
n = open("f_h1").read()
os.remove("f_h1")
os.remove("f_h2")
assert n == "2"
