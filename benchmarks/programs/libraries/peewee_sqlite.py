"""Each thread has a connection of its own to one file."""

# package: peewee
# include: peewee
# expect: correct

import tempfile
from pathlib import Path

from peewee import SqliteDatabase
from together import run


def test():
    with tempfile.TemporaryDirectory() as folder:
        database = SqliteDatabase(Path(folder, "data"), timeout=5)
        database.execute_sql("create table log (line)")
        database.close()

        def write(line):
            with database.connection_context():
                database.execute_sql("insert into log values (?)", (line,))

        run(lambda: write("a"), lambda: write("b"))
        lines = [line for (line,) in database.execute_sql("select line from log")]
        database.close()
        assert sorted(lines) == ["a", "b"]
