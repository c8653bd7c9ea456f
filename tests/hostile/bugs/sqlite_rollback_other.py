"""Sqlite rollback other."""

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
    c.execute("insert into t values (1)")


def b():
    c.rollback()


run(a, b)
assert c.execute("select count(*) from t").fetchone()[0] == 1
