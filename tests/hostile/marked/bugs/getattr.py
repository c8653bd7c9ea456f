"""`setattr` changes an object beside its methods."""

from shared.counter import Counter, go

c = Counter()


def f():
    setattr(c, "value", 9)


def g():
    if c.read() == 9:
        raise RuntimeError("nine")


go(f, g)
