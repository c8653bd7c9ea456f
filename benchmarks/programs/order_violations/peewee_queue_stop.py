"""A statement is queued while the thread that writes is stopped."""

# package: peewee
# include: playhouse
# shows: Queue.get(), which then returns (StopIteration, None) and not (object, AsyncCursor) before
# comes of it: the writer ends before the statement is queued; once stop has emptied the queue its caller waits for ever
# reference: coleifer/peewee#2877

import tempfile
import threading
import time

from playhouse.sqliteq import SqliteQueueDatabase


def main():
    with tempfile.TemporaryDirectory() as folder:
        database = SqliteQueueDatabase(f"{folder}/data.db", autostart=False)
        database.start()

        def create():
            database.execute_sql("create table t (x)").fetchall()

        thread = threading.Thread(target=create)
        thread.start()
        time.sleep(0.2)
        database.stop()
        thread.join()


main()
