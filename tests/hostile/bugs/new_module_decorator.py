"""Decorator at module scope while threads run: @items.append."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = []


def grow():
    if not items:
        items.append(1)


thread = threading.Thread(target=grow)
thread.start()


@items.append
def function():
    pass


thread.join()
assert len(items) != 2
