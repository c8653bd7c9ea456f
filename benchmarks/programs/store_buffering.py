"""Store buffering: who writes first is seen by the other. Holds under SC, not under TSO and PSO."""

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
        self.y = 0


def program():
    shared = Shared()
    seen = [None, None]

    def first():
        shared.x = 1
        seen[0] = shared.y

    def second():
        shared.y = 1
        seen[1] = shared.x

    run(first, second)
    assert seen != [0, 0]


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
