"""Finaliser under a lock."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Held:
    def __del__(self):
        with lock:
            log.append(1)


log = []
lock = threading.Lock()


def one():
    h = Held()
    del h


run(one, one)
assert log == [1, 1]
