"""A thread detaches a finaliser, and so keeps its object; another one lets go of it."""

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


nodes = [Node()]
ends = []
finaliser = weakref.finalize(nodes[0], ends.append, 1)
kept = []


def detach():
    kept.append(finaliser.detach())


run(detach, nodes.clear)
assert ends == []
