"""JM-Example, second shape: load buffering. Both reading 1 is impossible under SC, TSO and PSO."""

import sys
import threading


class Shared:
    def __init__(self):
        self.x = 0
        self.y = 0


def program():
    shared = Shared()
    seen = []

    def other():
        seen.append(shared.x)
        shared.y = 1

    thread = threading.Thread(target=other)
    thread.start()
    a = shared.y
    shared.x = 1
    thread.join()
    assert (a, seen[0]) != (1, 1)


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
