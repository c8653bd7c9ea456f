"""A marked object is made by a thread, and found by another one."""

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


made = []


def f():
    c = Counter()
    made.append(c)
    c.inc()


def g():
    if made:
        c = made[0]
        if c.is_zero():
            c.inc()
        if c.read() == 2:
            raise RuntimeError("two")


go(f, g)
