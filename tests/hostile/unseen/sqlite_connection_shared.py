"""Two threads use one connection at the same time: both begin a transaction, and one of them can't."""

import sqlite3
import threading

connection = sqlite3.connect(":memory:", check_same_thread=False)
connection.execute("create table t (n)")
connection.execute("insert into t values (1)")
connection.commit()


def update():
    connection.execute("update t set n = n + 1")


def update_again():
    connection.execute("update t set n = n + 1")
    connection.execute("update t set n = n + 1")


threads = [threading.Thread(target=each) for each in (update, update_again)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert connection.execute("select n from t").fetchall() == [(4,)]
