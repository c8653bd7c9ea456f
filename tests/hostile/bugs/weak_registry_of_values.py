"""Two objects that a weak set takes for one are registered; their equality is code of the program."""

import threading
import weakref


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Node:
    pass


registry = weakref.WeakSet()
compared = []


class Value(Node):
    def __hash__(self):
        return 1

    def __eq__(self, other):
        compared.append(1)
        return True


values = [Value(), Value()]


def first():
    registry.add(values[0])


def second():
    if not compared:
        registry.add(values[1])
        compared.append(2)


run(first, second)
assert compared == [2]
