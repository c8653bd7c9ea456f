"""An object that is not marked has a marked one in it, and a race of its own."""

from shared.counter import Counter, go


class Outer:
    def __init__(self):
        self.c = Counter()
        self.n = 0

    def step(self):
        self.c.inc()
        self.n += 1


o = Outer()
go(o.step, o.step)
assert o.c.read() == 2
assert o.n == 2
