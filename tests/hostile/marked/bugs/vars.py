"""The dictionary of an object is changed beside its methods."""

from shared.counter import Counter, go

c = Counter()


def f():
    vars(c)["value"] = 9


def g():
    if c.read() == 9:
        raise RuntimeError("nine")


go(f, g)
