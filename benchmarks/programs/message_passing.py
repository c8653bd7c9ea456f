"""Message passing: who sees the flag must see the data. Holds under SC and TSO, not under PSO."""

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
        self.data = 0
        self.flag = 0


def program():
    shared = Shared()

    def send():
        shared.data = 1
        shared.flag = 1

    def receive():
        flag = shared.flag
        data = shared.data
        assert (flag, data) != (1, 0)

    run(send, receive)


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
