"""A call calls a function of the program."""

from shared.counter import go

import mazurka

hits = []


@mazurka.linearizable("counter", "inc", "read", state=lambda c: c.value)
class Cb:
    def __init__(self, f):
        self.value = 0
        self.f = f

    def inc(self):
        self.value += 1
        self.f()

    def read(self):
        return self.value


def note():
    hits.append(1)


c = Cb(note)


def g():
    if hits:
        raise RuntimeError("hit")


go(c.inc, g)
