"""Sqlite adapter."""

import sqlite3
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class P:
    pass


def a():
    sqlite3.register_adapter(P, lambda p: 1)


def b():
    c = sqlite3.connect(":memory:")
    assert c.execute("select ?", (P(),)).fetchone()[0] == 1


run(a, b)
