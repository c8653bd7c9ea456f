"""JM-RVExample: an error that only one of ten outcomes shows, behind values that others wrote."""

import sys
import threading


class Shared:
    def __init__(self):
        self.x = 0
        self.y = 0
        self.lock = threading.Lock()


def program():
    shared = Shared()
    errors = []

    def first():
        for _ in range(2):
            with shared.lock:
                shared.x = 0
            if shared.x > 0:
                t = shared.y
                shared.y = t + 1
                shared.x = 2

    def second():
        for _ in range(2):
            if shared.x > 1:
                if shared.y == 3:
                    errors.append(True)
                else:
                    shared.y = 2

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        with shared.lock:
            shared.x = 1
            shared.y = 1
    for thread in threads:
        thread.join()
    return shared, errors


def bug():
    assert not program()[1]


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
