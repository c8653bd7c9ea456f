"""Traceback of a pool result."""

import threading
import traceback
from multiprocessing.pool import ThreadPool


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def bad():
    raise ValueError("x")


pool = ThreadPool(1)
r = pool.apply_async(bad)
r.wait()
got = []


def one():
    try:
        r.get()
    except ValueError as e:
        got.append(len(traceback.extract_tb(e.__traceback__)))


run(one, one)
assert len(set(got)) == 2
