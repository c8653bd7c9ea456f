"""A pool of two connections gives each thread its own."""

# package: redis
# include: redis
# expect: correct

from redis.connection import Connection, ConnectionPool
from together import run


class Offline(Connection):
    def connect(self):
        pass

    def can_read(self, timeout=0):
        return False

    def disconnect(self, *arguments):
        pass


def test():
    pool = ConnectionPool(connection_class=Offline, max_connections=2)
    held = []
    run(lambda: held.append(pool.get_connection()), lambda: held.append(pool.get_connection()))
    assert held[0] is not held[1]
    for each in held:
        pool.release(each)
