"""A thread keeps a value of a weak dictionary; another one assigns to the attribute that held it."""

import threading
import weakref


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Node:
    inner = None


node = Node()
node.inner = Node()
values = weakref.WeakValueDictionary(a=node.inner)
kept = []


def look():
    kept.append(values.get("a"))


def change():
    node.inner = None


run(look, change)
assert kept != [None]
