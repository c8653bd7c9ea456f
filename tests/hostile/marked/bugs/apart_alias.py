"""The same with a list that the object got from elsewhere."""

from shared.counter import go

import mazurka

REG = []
x = y = 0


@mazurka.linearizable("counter", "inc", "read", state=lambda c: len(c.items))
class Leaky:
    def __init__(self):
        self.items = REG

    def inc(self):
        self.items.append(1)

    def read(self):
        return len(self.items)


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
