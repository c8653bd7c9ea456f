"""Sqlite trace callback."""

import sqlite3
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


seen = []
c = sqlite3.connect(":memory:", check_same_thread=False)


def a():
    c.set_trace_callback(seen.append)


def b():
    c.execute("select 1")


run(a, b)
assert not seen
