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
    missed = [False] * n

    def play(me):
        a = table.p
        if a is None:
            missed[me] = True
            return
        a.i
        q = table.p
        table.p = None
        table.p = q

    run(*[lambda me=me: play(me) for me in range(n)])
    return missed


def bug():
    assert not any(program(2))


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
