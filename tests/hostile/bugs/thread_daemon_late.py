"""Thread daemon late."""

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
    t.daemon = True


run(a, b)
t.join()
