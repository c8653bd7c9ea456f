"""Calls of a marked object make calls of another one, which code elsewhere calls, too."""

import threading

import mazurka


def go(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


@mazurka.linearizable("counter", "inc", "dec", "add", "read", "is_zero", state=lambda counter: counter.value)
class Counter:
    def __init__(self, start=0):
        self.value = start
        self.lock = threading.Lock()

    def inc(self):
        with self.lock:
            self.value += 1

    def dec(self):
        with self.lock:
            self.value -= 1

    def add(self, n):
        with self.lock:
            self.value += n

    def read(self):
        with self.lock:
            return self.value

    def is_zero(self):
        with self.lock:
            return self.value == 0


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
