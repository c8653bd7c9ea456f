"""A thread takes away the lock that calls take."""

from shared.counter import Counter, go

c = Counter()


def f():
    c.inc()
    c.lock = None


def g():
    c.inc()


go(f, g)
