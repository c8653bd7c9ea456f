"""A queue that skips repeated events hands over the others."""

# package: watchdog
# include: watchdog
# expect: correct

from together import run
from watchdog.utils.bricks import SkipRepeatsQueue


def test():
    queue = SkipRepeatsQueue()
    got = []

    def produce():
        for event in ("a", "a", "b"):
            queue.put(event)

    def consume():
        got.append(queue.get())

    run(produce, consume)
    while not queue.empty():
        got.append(queue.get())
    assert got in (["a", "b"], ["a", "a", "b"]), got
