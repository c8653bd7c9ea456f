"""Sqlite closed."""

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
    c.execute("select 1")


def b():
    c.close()


run(a, b)
