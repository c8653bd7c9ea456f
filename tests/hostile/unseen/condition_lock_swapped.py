"""A condition is given another lock while a thread holds the first one."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


c = threading.Condition()


def a():
    c._lock = threading.Lock()


def b():
    with c:
        pass


run(a, b)
