"""NH-readers: one thread writes, n read."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Shared:
    def __init__(self):
        self.x = 0


def program(n=3):
    shared = Shared()
    seen = [None] * n

    def write():
        shared.x = 42

    def read(i):
        seen[i] = shared.x

    run(write, *[lambda i=i: read(i) for i in range(n)])
    return tuple(seen)


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    assert set(program(n)) <= {0, 42}
