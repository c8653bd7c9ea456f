"""Two threads take a connection from a pool that may hold one (of the class of redis-py #742)."""

import threading

from redis.connection import Connection, ConnectionPool
from redis.exceptions import ConnectionError as PoolExhausted


class Offline(Connection):
    """A connection to no server."""

    def connect(self):
        pass

    def can_read(self, timeout=0):
        return False


pool = ConnectionPool(connection_class=Offline, max_connections=1)
held = []


def work():
    try:
        held.append(pool.get_connection("PING"))
    except PoolExhausted:
        pass


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(held) <= 1, f"{len(held)} connections from a pool of at most 1"
