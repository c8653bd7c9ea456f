"""JM-Lamport: the fast mutex, both sides waiting for flag 2 as in the original, all spinning bounded."""

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
        self.x = self.y = self.shared = 0


def program():
    shared = Shared()
    wrong = {1: False, 2: False}

    def enter(me):
        n1 = n2 = n3 = n4 = 0
        while True:
            n1 += 1
            if n1 > 2:
                break
            shared.flag[me] = 1
            shared.x = me
            if shared.y != 0:
                shared.flag[me] = 0
                while shared.y != 0:
                    n2 += 1
                    if n2 > 2:
                        break
                continue
            shared.y = me
            if shared.x != me:
                shared.flag[me] = 0
                while shared.flag[2] >= 1:
                    n3 += 1
                    if n3 > 2:
                        break
                if shared.y != me:
                    while shared.y != 0:
                        n4 += 1
                        if n4 > 2:
                            break
                    continue
            break
        shared.shared = me
        if shared.shared != me:
            wrong[me] = True
        shared.y = 0
        shared.flag[me] = 0

    run(lambda: enter(1), lambda: enter(2))
    return wrong


def bug():
    assert not any(program().values())


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
