"""The same with an attribute of the object."""

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


x = y = 0
c = Counter()


def f():
    global y
    a = x
    b = x
    d = x
    if a == 0 and b == 1 and d == 2:
        c.inc()
    y = 1


def g():
    global x
    x = 1
    x = 2
    if y == 0:
        if c.value == 1:
            raise RuntimeError("seen")


go(f, g)
