"""NH-racyc: n threads add one without a lock."""

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


def program(n=3):
    shared = Shared()

    def body():
        t = shared.v
        shared.v = t + 1

    run(*[body] * n)
    return shared


def bug():
    assert program(2).v == 2


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
