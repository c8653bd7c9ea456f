"""Four threads share a connection of SQLAlchemy under a lock; prints the seconds of processor time before and after."""

import threading
import time

import sqlalchemy as sa

engine = sa.create_engine("sqlite://", poolclass=sa.pool.StaticPool, connect_args={"check_same_thread": False})
metadata = sa.MetaData()
table = sa.Table("numbers", metadata, sa.Column("id", sa.Integer, primary_key=True), sa.Column("n", sa.Integer))
metadata.create_all(engine)
lock = threading.Lock()


def work(factor):
    for number in range(80):
        with lock, engine.begin() as connection:
            connection.execute(table.insert().values(n=number * factor))
            connection.execute(sa.select(table.c.n).where(table.c.id < 20)).all()


before = time.process_time()
threads = [threading.Thread(target=work, args=(factor,)) for factor in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(before, time.process_time())
