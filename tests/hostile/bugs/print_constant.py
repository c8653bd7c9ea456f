"""A constant is printed on a sys.stdout that was replaced."""

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


def write():
    print("a")
    print("b")


def look():
    assert out.getvalue() != "a\n"


saved, sys.stdout = sys.stdout, out
run(write, look)
sys.stdout = saved
