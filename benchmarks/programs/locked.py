"""NH-locked: n threads add one under a lock."""

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
        self.v = 0
        self.lock = threading.Lock()


def program(n=3):
    shared = Shared()

    def body():
        with shared.lock:
            shared.v += 1

    run(*[body] * n)
    return shared.v


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    assert program(n) == n
