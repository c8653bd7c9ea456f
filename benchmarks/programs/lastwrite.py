"""NH-lastwrite: n threads write; main reads when they are done."""

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

    def write(i):
        shared.x = i

    run(*[lambda i=i: write(i) for i in range(1, n + 1)])
    return shared.x


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    assert 1 <= program(n) <= n
