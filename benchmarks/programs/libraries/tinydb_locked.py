"""The same under a lock."""

# package: tinydb
# include: tinydb
# expect: correct

import threading

from tinydb import TinyDB
from tinydb.storages import MemoryStorage
from together import run


def test():
    database = TinyDB(storage=MemoryStorage)
    lock = threading.Lock()

    def insert(number):
        with lock:
            database.insert({"n": number})

    run(lambda: insert(1), lambda: insert(2))
    assert len(database) == 2, database.all()
