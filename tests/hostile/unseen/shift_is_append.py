"""__lshift__ = list.append."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Stack(list):
    __lshift__ = list.append


stack = Stack()


def write():
    stack << 1
    stack << 2


def look():
    assert len(stack) != 1


run(write, look)
