"""An iterator that calls a method of a list changes the list."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]
taking = iter(items.pop, None)


def look():
    if items:
        items[0]


run(look, lambda: next(taking))
