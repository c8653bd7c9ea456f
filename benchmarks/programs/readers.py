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

    def write():
        shared.x = 42

    def read():
        assert shared.x in (0, 42)

    run(write, *[read] * n)


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
