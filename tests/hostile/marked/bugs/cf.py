"""The order of calls does not matter, that of the accesses beside them does (COUNTER-2INC-CF)."""

from shared.counter import Counter, go

c = Counter()
x = 0


def f():
    global x
    c.inc()
    if x == 0:
        x = 2


def g():
    global x
    x = 1
    c.inc()


go(f, g)
assert c.read() == 2
assert x == 1
