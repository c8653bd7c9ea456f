"""JM-Dekker: mutual exclusion whose spinning is bounded, so both sides can get in."""

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
        self.turn = 1
        self.x = 0


def program():
    shared = Shared()
    wrong = {1: False, 2: False}

    def side(me, other):
        n1 = n2 = 0
        shared.flag[me] = 1
        while shared.flag[other] == 1:
            n2 += 1
            if n2 > 2:
                break
            if shared.turn != me:
                shared.flag[me] = 0
                while shared.turn != me:
                    n1 += 1
                    if n1 > 2:
                        break
                shared.flag[me] = 1
        shared.x = me
        if shared.x != me:
            wrong[me] = True
        shared.turn = other
        shared.flag[me] = 0

    run(lambda: side(1, 2), lambda: side(2, 1))
    return wrong


def bug():
    assert not any(program().values())


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
