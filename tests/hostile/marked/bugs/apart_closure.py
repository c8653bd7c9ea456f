"""The same with a list that methods capture."""

from shared.counter import go

import mazurka

x = y = 0


def make():
    reg = []

    @mazurka.linearizable("counter", "inc", "read", state=lambda c: c.value)
    class Leaky:
        def __init__(self):
            self.value = 0

        def inc(self):
            self.value += 1
            reg.append(1)

        def read(self):
            return self.value

    return Leaky(), reg


c, reg = make()


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
        if len(reg) == 1:
            raise RuntimeError("seen")


go(f, g)
