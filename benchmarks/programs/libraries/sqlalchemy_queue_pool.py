"""A pool of one connection gives it to one thread at a time."""

# package: SQLAlchemy
# include: sqlalchemy
# expect: correct

from sqlalchemy.pool import QueuePool
from together import run


class Connection:
    def rollback(self):
        pass

    def close(self):
        pass


def test():
    made = []

    def connect():
        made.append(Connection())
        return made[-1]

    pool = QueuePool(connect, pool_size=1, max_overflow=0)
    using = []

    def use():
        connection = pool.connect()
        using.append(connection.dbapi_connection)
        assert len(using) == 1
        using.pop()
        connection.close()

    run(use, use)
    assert len(made) == 1
    assert pool.checkedin() == 1
