"""Traceback of a future."""

import threading
import traceback
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
    except ValueError:
        got.append(traceback.format_exc().count("File"))


run(one, one)
assert len(set(got)) == 2 and len(got) == 2
