"""Two threads take clients from one pool."""

# package: pymemcache
# include: pymemcache
# expect: correct

from pymemcache.pool import ObjectPool
from together import run


class Client:
    pass


def test():
    made, closed = [], []

    def make():
        client = Client()
        made.append(client)
        return client

    pool = ObjectPool(make, after_remove=closed.append, max_size=2)

    def use():
        with pool.get_and_release() as client:
            assert client in made

    run(use, use)
    assert not pool.used and len(pool.free) == len(made)
