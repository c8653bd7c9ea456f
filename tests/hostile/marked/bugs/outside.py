"""A thread updates an attribute of an object beside its methods."""

from shared.counter import Counter, go

c = Counter()


def f():
    c.inc()


def g():
    v = c.value
    c.value = v + 1


go(f, g)
assert c.read() == 2
