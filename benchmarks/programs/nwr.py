"""NH-nwr: n threads write, one reads."""

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
    seen = []

    def write(i):
        shared.x = i

    def read():
        seen.append(shared.x)

    run(*[lambda i=i: write(i) for i in range(1, n + 1)], read)
    return seen[0]


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    assert 0 <= program(n) <= n
