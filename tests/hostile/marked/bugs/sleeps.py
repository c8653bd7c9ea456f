"""A call sleeps while it has read a value, and not yet written the next."""

import time

from shared.counter import go

import mazurka


@mazurka.linearizable("counter", "inc", "read", state=lambda c: c.value)
class Slow:
    def __init__(self):
        self.value = 0

    def inc(self):
        v = self.value
        time.sleep(0.01)
        self.value = v + 1

    def read(self):
        return self.value


c = Slow()
go(c.inc, c.inc)
assert c.read() == 2
