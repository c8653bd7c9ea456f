"""JM-Allocation: finding a free cell and marking it are two critical sections. The bug: one cell for two."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Vector:
    def __init__(self, size):
        self.cells = ["F"] * size
        self.lock = threading.Lock()

    def find_free(self):
        with self.lock:
            for i in range(len(self.cells)):
                if self.cells[i] == "F":
                    return i
            return -1

    def mark(self, i):
        with self.lock:
            if self.cells[i] == "A":
                raise RuntimeError("allocated twice")
            self.cells[i] = "A"


def program(size=4, k=1, threads=2):
    vector = Vector(size)
    buffers = [[None] * k for _ in range(threads)]

    def allocate(buffer):
        try:
            for i in range(k):
                buffer[i] = vector.find_free()
                if buffer[i] != -1:
                    vector.mark(buffer[i])
        except RuntimeError:
            buffer[0] = -2

    run(*[lambda buffer=buffer: allocate(buffer) for buffer in buffers])
    return tuple(map(tuple, buffers))


def bug():
    assert all(buffer[0] != -2 for buffer in program())


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
