"""NH-szymanski: mutual exclusion by a waiting room with two doors; who has waited twice in vain gives up."""

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
        self.x = 0


def becomes(test):
    """Look twice at most."""
    return test() or test()


def program():
    shared = Shared()
    flag = shared.flag

    def side(me, other):
        for _ in range(2):
            flag[me] = 1
            if not becomes(lambda: flag[other] < 3):
                return
            flag[me] = 3
            if flag[other] == 1:
                flag[me] = 2
                if not becomes(lambda: flag[other] == 4):
                    return
            flag[me] = 4
            if not becomes(lambda: flag[other] < 2):
                return
            shared.x = me
            assert shared.x == me
            if not becomes(lambda: flag[other] < 2 or flag[other] > 3):
                return
            flag[me] = 0

    run(lambda: side(1, 2), lambda: side(2, 1))


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
