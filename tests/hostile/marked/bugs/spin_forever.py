"""A thread calls an object until it holds a value that it never will."""

from shared.counter import Counter, go

c = Counter()


def f():
    while c.read() < 4:
        pass


go(f, c.inc, c.inc, c.inc)
