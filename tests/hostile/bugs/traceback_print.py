"""A traceback is written on a stream that another thread has put in place."""

import io
import sys
import threading
import traceback


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


old = sys.stderr
out = io.StringIO()


def a():
    sys.stderr = out
    sys.stderr = old


def b():
    try:
        1 / 0
    except ZeroDivisionError:
        traceback.print_exc()


run(a, b)
assert out.getvalue() == ""
