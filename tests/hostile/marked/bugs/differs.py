"""A call does something else than its specification says."""

from shared.counter import go

import mazurka


@mazurka.linearizable("counter", "inc", "read", state=lambda c: c.value)
class Odd:
    def __init__(self):
        self.value = 0

    def inc(self):
        self.value += 2 if self.value else 1

    def read(self):
        return self.value


c = Odd()
go(c.inc, c.inc)
assert c.read() == 2
