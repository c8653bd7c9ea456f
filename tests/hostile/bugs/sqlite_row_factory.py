"""Sqlite row factory."""

import sqlite3
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


c = sqlite3.connect(":memory:", check_same_thread=False)


def a():
    c.row_factory = sqlite3.Row
    c.row_factory = None


def b():
    assert type(c.execute("select 1").fetchone()) is tuple


run(a, b)
