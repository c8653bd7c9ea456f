"""Match on a list display [items]."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = []


def write():
    items.append(1)
    items.append(2)


def look():
    match [items]:
        case [[_]]:
            raise AssertionError


run(write, look)
