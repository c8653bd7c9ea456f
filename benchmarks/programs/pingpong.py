"""JM-PingPong: players take an object away and put it back. The bug: another player finds nothing there."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Object:
    def __init__(self):
        self.i = 0


class Table:
    def __init__(self):
        self.p = Object()


def program(n=2):
    table = Table()
    missed = []

    def play():
        a = table.p
        if a is None:
            missed.append(True)
            return
        a.i
        q = table.p
        table.p = None
        table.p = q

    run(*[play] * n)
    return len(missed), table.p is None


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    assert program(n) == (0, False)
