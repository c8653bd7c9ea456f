"""Objects in cycles close, when they end, other objects that only they lead to."""

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


class Part:
    closed = False

    def close(self):
        self.closed = True
        self.names = [each for each in self.items]
        self.items.clear()


class Owner(Node):
    def __del__(self):
        for each in self.given:
            if hasattr(each, "close"):
                each.close()


seen = []


def work():
    part = Part()
    owner = Owner(part)
    part.owner = owner
    part.items = [owner]
    part.names = []
    seen.append(part.closed)


run(work, work)
assert seen == [False, False]
