"""A counter that is marked rightly, and threads that use it."""

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
