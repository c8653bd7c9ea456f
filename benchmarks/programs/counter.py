"""JM-Counter: two threads count up and down k times without a lock."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Counter:
    def __init__(self):
        self.c = 0


def program(k=2):
    counter = Counter()

    def up():
        for _ in range(k):
            counter.c = counter.c + 1

    def down():
        for _ in range(k):
            counter.c = counter.c - 1

    run(up, down)
    return counter


def bug():
    assert program(2).c == 0


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
