"""NH-lamport: the fast mutex (algorithm 2) for n threads. A thread that would have to wait gives up and says so; such
runs are not counted, as an assumption that fails ends a run there."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Shared:
    def __init__(self, n):
        self.busy = [False] * (n + 1)
        self.x = self.y = self.critical = 0


def program(n=2):
    shared = Shared(n)

    def lock(me):
        """Whether the lock was had."""
        while True:
            shared.busy[me] = True
            shared.x = me
            if shared.y != 0:
                shared.busy[me] = False
                if shared.y != 0:
                    return False
                continue
            shared.y = me
            if shared.x != me:
                shared.busy[me] = False
                for other in range(1, n + 1):
                    if shared.busy[other]:
                        return False
                if shared.y != me:
                    if shared.y != 0:
                        return False
                    continue
            return True

    def body(me):
        if not lock(me):
            print("not counted")
            return
        shared.critical = me
        assert shared.critical == me
        shared.y = 0
        shared.busy[me] = False

    run(*[lambda me=me: body(me) for me in range(1, n + 1)])


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
