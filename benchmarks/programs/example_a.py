"""JM-Example, first shape: two writers, the main thread among them, and a thread that reads both."""

import sys
import threading


class Shared:
    def __init__(self):
        self.x = 0
        self.y = 0


def program():
    shared = Shared()

    def write():
        shared.y = 1

    def read():
        a = shared.x
        b = shared.y

    threads = [threading.Thread(target=write), threading.Thread(target=read)]
    for thread in threads:
        thread.start()
    shared.x = 1
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
