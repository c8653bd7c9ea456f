"""A count under a lock."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


n = 0
lock = threading.Lock()


def add():
    global n
    with lock:
        n += 1


run(add, add)
assert n == 2
