"""A pool counts the connections that two threads made."""

# package: urllib3
# include: urllib3
# expect: bug
# shows: self.num_connections += 1

from together import run
from urllib3.connection import HTTPConnection
from urllib3.connectionpool import HTTPConnectionPool


class Offline(HTTPConnection):
    def connect(self):
        pass


class Pool(HTTPConnectionPool):
    ConnectionCls = Offline


def test():
    pool = Pool("localhost", maxsize=2)

    def use():
        connection = pool._get_conn()
        pool._put_conn(connection)

    made = pool.num_connections
    assert made == 0
    connections = []
    run(lambda: connections.append(pool._new_conn()), lambda: connections.append(pool._new_conn()))
    assert pool.num_connections == len(connections) == 2, pool.num_connections
