"""Lock at fork."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


lock = threading.Lock()


def a():
    lock.acquire()
    lock.release()


def b():
    lock._at_fork_reinit()


run(a, b)
