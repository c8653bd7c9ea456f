"""A class derived from a marked one has a method that is no single step."""

from shared.counter import Counter, go


class Sub(Counter):
    def twice(self):
        self.inc()
        self.inc()


c = Sub()


def g():
    if c.read() == 1:
        raise RuntimeError("one")


go(c.twice, g)
