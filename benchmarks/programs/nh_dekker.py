"""NH-dekker: two rounds of mutual exclusion; who has waited twice in vain gives up."""

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
        self.flag = {0: 0, 1: 0}
        self.turn = 0
        self.x = 0


def program():
    shared = Shared()

    def my_turn(me):
        return shared.turn == me or shared.turn == me

    def enter(me, other):
        for _ in range(2):
            if not shared.flag[other]:
                return True
            if shared.turn != me:
                shared.flag[me] = 0
                if not my_turn(me):
                    return False
                shared.flag[me] = 1
        return False

    def side(me, other):
        for _ in range(2):
            shared.flag[me] = 1
            if not enter(me, other):
                return
            shared.x = me + 1
            assert shared.x == me + 1
            shared.turn = other
            shared.flag[me] = 0

    run(lambda: side(0, 1), lambda: side(1, 0))


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
