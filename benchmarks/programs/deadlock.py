"""JM-TestDeadLock: two locks taken in opposite orders. The bug is a deadlock."""

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
        self.field = 0


def program():
    shared = Shared()
    m1, m2 = threading.Lock(), threading.Lock()
    seen = []

    def first():
        with m1:
            shared.field = 1
            with m2:
                pass

    def second():
        with m2:
            seen.append(shared.field)
            with m1:
                pass

    run(first, second)
    return tuple(seen)


def bug():
    program()


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
