"""Thread started flag."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


t = threading.Thread(target=lambda: None)


def a():
    t.start()


def b():
    assert not t._started.is_set()


run(a, b)
t.join()
