"""A marked object is made by a thread, and found by another one."""

from shared.counter import Counter, go

made = []


def f():
    c = Counter()
    made.append(c)
    c.inc()


def g():
    if made:
        c = made[0]
        if c.is_zero():
            c.inc()
        if c.read() == 2:
            raise RuntimeError("two")


go(f, g)
