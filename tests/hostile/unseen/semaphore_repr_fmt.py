"""The counter of a semaphore is read from its dictionary."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


s = threading.Semaphore(1)


def a():
    s.acquire()


def b():
    assert f"{s.__dict__['_value']}" == "1"


run(a, b)
