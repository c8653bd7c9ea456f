"""JM-Bakery: two threads draw numbers; ties are not broken, so both can get in. It asserts nothing."""

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
        self.enter = {0: 0, 1: 0}
        self.number = {0: 0, 1: 0}
        self.x = 0


def program():
    shared = Shared()

    def buy(i):
        n1 = n2 = m = 0
        shared.enter[i] = 1
        for j in (0, 1):
            if shared.number[j] > m:
                m = shared.number[j]
        shared.number[i] = m + 1
        shared.enter[i] = 0
        for j in (0, 1):
            while shared.enter[j] == 1:
                n1 += 1
                if n1 > 2:
                    break
            while shared.number[j] != 0 and shared.number[j] < shared.number[i]:
                n2 += 1
                if n2 > 2:
                    break
        shared.x = i + 1
        shared.number[i] = 0

    run(lambda: buy(0), lambda: buy(1))
    return shared


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
