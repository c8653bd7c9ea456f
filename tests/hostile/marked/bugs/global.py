"""A call assigns a global variable that another thread looks at."""

from shared.counter import go

import mazurka

G = 0


@mazurka.linearizable("counter", "inc", "read", state=lambda c: c.value)
class Glob:
    def __init__(self):
        self.value = 0

    def inc(self):
        global G
        self.value += 1
        G = self.value

    def read(self):
        return self.value


c = Glob()


def g():
    if G == 1:
        raise RuntimeError("seen")


go(c.inc, g)
