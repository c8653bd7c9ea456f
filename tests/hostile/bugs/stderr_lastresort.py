"""A message is logged on a stream that another thread has put in place."""

import io
import logging
import sys
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


out = io.StringIO()
old = sys.stderr


def a():
    sys.stderr = out


def b():
    logging.getLogger("hb").warning("x")


run(a, b)
sys.stderr = old
assert out.getvalue() == ""
