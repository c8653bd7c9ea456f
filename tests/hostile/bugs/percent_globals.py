""" "%(n)s" % globals() against `global n`."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


n = 0


def write():
    global n
    n = 1
    n = 2


def look():
    assert "%(n)s" % globals() != "1"


run(write, look)
