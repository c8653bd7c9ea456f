"""A blocking pool of one connection."""

# package: redis
# include: redis
# expect: correct

from redis.connection import BlockingConnectionPool, Connection
from together import run


class Offline(Connection):
    def connect(self):
        pass

    def can_read(self, timeout=0):
        return False

    def disconnect(self, *arguments):
        pass


def test():
    pool = BlockingConnectionPool(connection_class=Offline, max_connections=1, timeout=None)
    using = []

    def use():
        connection = pool.get_connection()
        using.append(connection)
        assert len(using) == 1
        using.pop()
        pool.release(connection)

    run(use, use)
