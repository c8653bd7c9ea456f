"""A call waits for an item that never comes."""

import threading

from shared.counter import go

import mazurka


@mazurka.linearizable("queue", "enq", "deq", "size", state=lambda q: tuple(q.items))
class Q:
    def __init__(self):
        self.items = []
        self.cond = threading.Condition()

    def enq(self, v):
        with self.cond:
            self.items.append(v)
            self.cond.notify()

    def deq(self):
        with self.cond:
            while not self.items:
                self.cond.wait()
            return self.items.pop(0)

    def size(self):
        return len(self.items)


q = Q()


def f():
    q.deq()


go(f, f, lambda: q.enq(1))
