"""Threads append to a list of their own beside calls."""

from shared.counter import Counter, go

c = Counter()
out = []


def f():
    c.inc()
    out.append("f")


def g():
    out.append("g")
    c.inc()


go(f, g)
assert out == ["f", "g"]
