"""A warning is shown on a stream that another thread has put in place."""

import io
import sys
import threading
import warnings


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


out = io.StringIO()
old = sys.stderr
warnings.simplefilter("always")


def a():
    sys.stderr = out


def b():
    warnings.warn("x")


run(a, b)
sys.stderr = old
assert out.getvalue() == ""
