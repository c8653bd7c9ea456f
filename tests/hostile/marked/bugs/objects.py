"""A register holds objects whose attributes threads change."""

from shared.counter import go

import mazurka


@mazurka.linearizable("register", "read", "write", state=lambda r: r.v)
class Reg:
    def __init__(self):
        self.v = None

    def read(self):
        return self.v

    def write(self, v):
        self.v = v


r = Reg()


class Node:
    pass


def f():
    n = Node()
    n.x = 0
    r.write(n)
    n.x = 1


def g():
    n = r.read()
    if n is not None and n.x == 0:
        raise RuntimeError("early")


go(f, g)
