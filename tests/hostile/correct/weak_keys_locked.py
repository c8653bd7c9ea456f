"""Objects are held no longer than the program holds them."""

import threading
import weakref


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Thing:
    pass


box = [Thing()]
counts = weakref.WeakKeyDictionary({box[0]: 1})
lock = threading.Lock()


def count():
    for each in list(counts):
        counts[each] += 1


def first():
    with lock:
        count()


def second():
    with lock:
        box.clear()


run(first, second)
assert not list(counts.values())
