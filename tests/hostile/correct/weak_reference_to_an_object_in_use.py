"""Objects in cycles are looked up by weak references while variables refer to them."""

import threading
import weakref


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


seen = []


def work():
    node = Node()
    node.reference = weakref.ref(node)
    seen.append(node.reference() is node)


run(work, work)
assert seen == [True, True]
