"""The same with another object."""

from shared.counter import go

import mazurka


class Shared:
    pass


s = Shared()
s.n = 0
x = y = 0


@mazurka.linearizable("counter", "inc", "read", state=lambda c: c.value)
class Leaky:
    def __init__(self):
        self.value = 0

    def inc(self):
        self.value += 1
        s.n = 1

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
        if s.n == 1:
            raise RuntimeError("seen")


go(f, g)
