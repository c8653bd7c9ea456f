"""A call raises an exception that its specification does not have."""

from shared.counter import go

import mazurka


@mazurka.linearizable("register", "read", "write", state=lambda r: r.v)
class Reg:
    def __init__(self):
        self.v = 0

    def read(self):
        return self.v

    def write(self, v):
        if v < 0:
            raise ValueError(v)
        self.v = v


r = Reg()


def f():
    try:
        r.write(-1)
    except ValueError:
        r.write(5)


def g():
    if r.read() == 5:
        raise RuntimeError("five")


go(f, g)
