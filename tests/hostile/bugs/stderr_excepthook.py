"""sys.excepthook() writes on a stream that another thread has put in place."""

import io
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
    try:
        1 / 0
    except ZeroDivisionError:
        sys.excepthook(*sys.exc_info())


run(a, b)
sys.stderr = old
assert out.getvalue() == ""
