"""A thread calls an object until it holds enough."""

from shared.counter import Counter, go

c = Counter()


def f():
    while c.read() < 2:
        pass
    if c.read() > 2:
        raise RuntimeError("more")


go(f, c.inc, c.inc, c.inc)
