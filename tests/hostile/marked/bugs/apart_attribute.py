"""The same with an attribute of the object."""

from shared.counter import Counter, go

x = y = 0
c = Counter()


def f():
    global y
    a = x
    b = x
    d = x
    if a == 0 and b == 1 and d == 2:
        c.inc()
    y = 1


def g():
    global x
    x = 1
    x = 2
    if y == 0:
        if c.value == 1:
            raise RuntimeError("seen")


go(f, g)
