"""JM-Pool107: a pool decides in one critical section and acts in another (commons-pool POOL-107)."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Pool:
    def __init__(self, active, count):
        self.active = active
        self.idle = []
        self.lock = threading.Lock()
        self.count = count
        self.factory = threading.Lock()

    def make(self):
        with self.factory:
            self.count += 1
            if self.count > 2:
                raise RuntimeError("too many objects")

    def ensure_minimum(self):
        with self.lock:
            deficit = min(1 - len(self.idle), max(0, 2 - self.active - len(self.idle)))
        for _ in range(deficit):
            with self.lock:
                self.make()
                self.idle.append(object())

    def borrow(self):
        with self.lock:
            found = self.idle.pop() if self.idle else None
            self.active += 1
        if found is None:
            self.make()


def program(active=3, count=3, borrowers=1):
    """As shipped nothing can go wrong that does not always; (0, 0, 2) has the historical bug."""
    pool = Pool(active, count)
    failed = []

    def guarded(call):
        try:
            call()
        except RuntimeError:
            failed.append(True)

    run(lambda: guarded(pool.ensure_minimum), *[lambda: guarded(pool.borrow)] * borrowers)
    return pool.count, len(failed)


def bug():
    assert program(0, 0, 2) == (2, 0)


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
