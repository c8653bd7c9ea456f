"""Thread run class."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


seen = []
old = threading.Thread.run
t = threading.Thread(target=seen.append, args=(1,))


def a():
    threading.Thread.run = lambda self: None
    threading.Thread.run = old


def b():
    t.start()
    t.join()


run(a, b)
assert seen == [1]
