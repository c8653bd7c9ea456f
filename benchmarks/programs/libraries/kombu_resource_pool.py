"""A pool of one resource gives it to one thread at a time."""

# package: kombu
# include: kombu
# expect: correct

from kombu.resource import Resource
from together import run


class Channel:
    def __init__(self, pool):
        self.pool = pool

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.release()


class Channels(Resource):
    close_after_fork = False

    def setup(self):
        for _ in range(self.limit):
            self._resource.put_nowait(Channel(self))

    def prepare(self, resource):
        return resource


def test():
    channels = Channels(limit=1)
    using = []

    def use():
        with channels.acquire(block=True) as channel:
            using.append(channel)
            assert len(using) == 1
            using.pop()

    run(use, use)
