"""NH-fib_bench: two threads add each to the other; how far can the numbers get?"""

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

    run(first, second)
    return shared.i, shared.j


def fibonacci(k):
    a, b = 1, 1
    for _ in range(k - 1):
        a, b = b, a + b
    return a


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    assert max(program(n)) <= fibonacci(2 * n + 2)
