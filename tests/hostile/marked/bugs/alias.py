"""An object holds a list that code elsewhere has, too."""

from shared.counter import go

import mazurka

REG = []


@mazurka.linearizable("counter", "inc", "read", "is_zero", state=lambda c: sum(c.items))
class Alias:
    def __init__(self):
        self.items = REG

    def inc(self):
        self.items.append(1)

    def read(self):
        return sum(self.items)

    def is_zero(self):
        return not self.items


c = Alias()
flag = 0


def f():
    global flag
    flag = 1
    if flag == 1:
        c.inc()


def g():
    global flag
    flag = 2
    if flag == 2 and len(REG) == 0:
        pass
    elif flag == 2:
        raise RuntimeError("seen")


go(f, g)
c.read()
