"""Sqlite with context."""

import sqlite3
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


c = sqlite3.connect(":memory:", check_same_thread=False)
c.execute("create table t (n)")


def a():
    with c:
        c.execute("insert into t values (1)")


def b():
    try:
        with c:
            raise KeyError
    except KeyError:
        pass


run(a, b)
assert c.execute("select count(*) from t").fetchone()[0] == 1
