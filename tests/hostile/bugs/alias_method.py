"""Alias of a C method under another name in a container subclass (push = list.append)."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Stack(list):
    push = list.append
    take = list.pop


stack = Stack([1])


def work():
    if stack.__len__():
        stack.take()


run(work, work)
