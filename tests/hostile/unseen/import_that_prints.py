"""Import that prints."""

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
sys.stdout = out
seen = []


def one():
    import this


def two():
    print("x")
    seen.append(len(out.getvalue()))


run(one, two)
sys.stdout = sys.__stdout__
assert seen == [2]
