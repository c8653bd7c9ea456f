"""Two objects are called in opposite orders."""

from shared.counter import Counter, go

c = Counter()
d = Counter()


def f():
    if c.read():
        d.inc()


def g():
    c.inc()
    if d.read():
        raise RuntimeError("late")


go(f, g)
