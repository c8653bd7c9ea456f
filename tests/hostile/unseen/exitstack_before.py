"""ExitStack.callback(items.clear) given before threads run; close() in a thread."""

import contextlib
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]
stack = contextlib.ExitStack()
stack.callback(items.clear)


def look():
    if items:
        items[0]


def clear():
    stack.close()


run(look, clear)
