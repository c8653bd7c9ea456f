"""Calls append to a list of the module, in other runs than those in which another thread looks at it."""

from shared.counter import go

import mazurka

REG = []
x = y = 0


@mazurka.linearizable("counter", "inc", "read", state=lambda c: c.value)
class Leaky:
    def __init__(self):
        self.value = 0

    def inc(self):
        self.value += 1
        REG.append(1)

    def read(self):
        return self.value


c = Leaky()


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
        if len(REG) == 1:
            raise RuntimeError("seen")


go(f, g)
