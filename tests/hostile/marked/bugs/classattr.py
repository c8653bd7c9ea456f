"""A thread changes an attribute of a class that calls go by."""

from shared.counter import go

import mazurka


@mazurka.linearizable("counter", "inc", "read", state=lambda c: c.value)
class Cls:
    step = 1

    def __init__(self):
        self.value = 0

    def inc(self):
        self.value += self.step

    def read(self):
        return self.value


c = Cls()


def f():
    c.inc()
    if c.read() == 3:
        raise RuntimeError("three")


def g():
    Cls.step = 3


go(f, g)
