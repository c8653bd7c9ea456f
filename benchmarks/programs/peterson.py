"""JM-Peterson: mutual exclusion whose spinning is bounded. It asserts nothing."""

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
        self.flag = {1: 0, 2: 0}
        self.turn = 0
        self.x = 0


def program():
    shared = Shared()

    def side(me, other):
        c = 0
        shared.flag[me] = 1
        shared.turn = other
        while shared.flag[other] == 1 and shared.turn == other:
            c += 1
            if c > 2:
                break
        shared.x = me
        shared.flag[me] = 0

    run(lambda: side(1, 2), lambda: side(2, 1))
    return shared


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
