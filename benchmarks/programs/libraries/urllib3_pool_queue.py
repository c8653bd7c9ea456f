"""A blocking pool of one connection gives it to one thread at a time."""

# package: urllib3
# include: urllib3
# expect: correct

from together import run
from urllib3.connectionpool import HTTPConnectionPool


def test():
    pool = HTTPConnectionPool("localhost", maxsize=1, block=True)
    using = []

    def use():
        connection = pool._get_conn()
        using.append(connection)
        assert len(using) == 1
        using.pop()
        pool._put_conn(connection)

    run(use, use)
    assert pool.num_connections == 1
