"""pprint() writes on a stream that another thread has put in place."""

import io
import pprint
import sys
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


out = io.StringIO()
old = sys.stdout


def a():
    sys.stdout = out


def b():
    pprint.pprint("x")


run(a, b)
sys.stdout = old
assert out.getvalue() == ""
