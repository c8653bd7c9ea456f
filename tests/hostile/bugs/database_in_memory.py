"""A database: a selected value may be changed before it is written back."""

import sqlite3
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


base = sqlite3.connect(":memory:", check_same_thread=False)
base.execute("create table t (n)")
base.execute("insert into t values (0)")


def add():
    (n,) = base.execute("select n from t").fetchone()
    base.execute("update t set n = ?", (n + 1,))


run(add, add)
assert base.execute("select n from t").fetchone() == (2,)
