"""Calls of a marked object make calls of another one, which it owns."""

from shared.counter import Counter, go

import mazurka


@mazurka.linearizable("counter", "inc", "read", state=lambda c: c.c.value)
class Wrap:
    def __init__(self):
        self.c = Counter()

    def inc(self):
        self.c.inc()

    def read(self):
        return self.c.read()


o = Wrap()


def g():
    o.inc()
    if o.read() == 1:
        raise RuntimeError("one")


go(o.inc, g)
