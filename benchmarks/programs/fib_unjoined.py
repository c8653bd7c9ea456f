"""NH-fib_bench as shipped: the main thread looks at both numbers while the others still add."""

import sys
import threading


class Shared:
    def __init__(self):
        self.i = 1
        self.j = 1


def program(n=3):
    shared = Shared()

    def first():
        for _ in range(n):
            shared.i = shared.i + shared.j

    def second():
        for _ in range(n):
            shared.j = shared.j + shared.i

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    for thread in threads:
        thread.start()
    return shared.i, shared.j


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
