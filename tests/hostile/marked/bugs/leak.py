"""A call appends to a list of the module that threads look at."""

from shared.counter import go

import mazurka

REG = []


@mazurka.linearizable("counter", "inc", "read", state=lambda c: c.value)
class Leaky:
    def __init__(self):
        self.value = 0

    def inc(self):
        self.value += 1
        REG.append(self.value)

    def read(self):
        return self.value


c = Leaky()


def f():
    c.inc()


def g():
    if len(REG) == 0:
        c.inc()


go(f, g)
assert c.read() == 1
