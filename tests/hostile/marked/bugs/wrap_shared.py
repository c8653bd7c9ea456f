"""Calls of a marked object make calls of another one, which code elsewhere calls, too."""

from shared.counter import Counter, go

import mazurka


@mazurka.linearizable("counter", "inc", "read", state=lambda c: c.c.value)
class Wrap:
    def __init__(self, c):
        self.c = c

    def inc(self):
        self.c.inc()

    def read(self):
        return self.c.read()


k = Counter()
o = Wrap(k)


def g():
    if k.read() == 1:
        raise RuntimeError("one")


go(o.inc, g)
