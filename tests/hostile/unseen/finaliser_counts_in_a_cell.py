"""An object in a cycle counts its end in a variable of a function, whenever garbage is collected."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Node:
    def __init__(self, *given):
        self.me = self
        self.given = given
        self.closed = False


def work():
    count = 0

    class Counted(Node):
        def __del__(self):
            nonlocal count
            count += 1

    node = Counted()
    del node
    junk = [[] for _ in range(5)]
    assert count == 0, junk


run(work, work)
