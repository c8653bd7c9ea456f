"""A thread that was started by another one calls the object."""

import threading

from shared.counter import Counter, go

c = Counter()


def f():
    c.inc()
    threading.Thread(target=c.inc).start()


def g():
    if c.read() == 2:
        raise RuntimeError("two")


go(f, g)
