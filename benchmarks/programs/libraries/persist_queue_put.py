"""Two threads put items into a queue on disk."""

# package: persist-queue
# include: persistqueue
# expect: correct

import tempfile

import persistqueue
from together import run


def test():
    with tempfile.TemporaryDirectory() as folder:
        queue = persistqueue.Queue(folder)
        run(lambda: queue.put("a"), lambda: queue.put("b"))
        assert sorted([queue.get(), queue.get()]) == ["a", "b"]
