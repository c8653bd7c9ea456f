"""Error of a future twice."""

import threading
from concurrent.futures import Future


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


f = Future()
f.set_exception(ValueError("x"))
got = []


def one():
    try:
        f.result()
    except ValueError as e:
        got.append(str(e))


run(one, one)
assert got == ["x", "x"]
