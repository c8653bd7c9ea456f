"""Two threads insert into one database in memory."""

# package: tinydb
# include: tinydb
# expect: bug
# shows: insert

from tinydb import TinyDB
from tinydb.storages import MemoryStorage
from together import run


def test():
    database = TinyDB(storage=MemoryStorage)
    run(lambda: database.insert({"n": 1}), lambda: database.insert({"n": 2}))
    assert len(database) == 2, database.all()
