"""NH-casw: n threads compare and swap, then write plainly."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Cell:
    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()

    def compare_and_swap(self, old, new):
        with self.lock:
            if self.value == old:
                self.value = new


def program(n=2):
    x = Cell()

    def body(i):
        x.compare_and_swap(0, 1)
        x.value = i + 3

    run(*[lambda i=i: body(i) for i in range(n)])
    return x


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
