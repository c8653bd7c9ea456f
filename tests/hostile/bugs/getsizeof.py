"""sys.getsizeof() looks at how long a list is."""

import sys
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = []
empty = sys.getsizeof(items)


def write():
    items.append(1)
    items.clear()


def look():
    assert sys.getsizeof(items) == empty


run(write, look)
