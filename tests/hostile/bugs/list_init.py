"""Items.__init__(...) replaces contents (list)."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]


def write():
    items.__init__([1, 2])
    items.__init__([1])


def look():
    assert len(items) == 1


run(write, look)
