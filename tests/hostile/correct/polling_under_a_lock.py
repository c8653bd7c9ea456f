"""Threads poll under a lock until another one, which needs the lock, has set a flag."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


lock = threading.RLock()
ready = False
seen = []


def is_ready():
    with lock:
        return ready


def wait():
    while not is_ready():
        pass
    with lock:
        seen.append(ready)


def set_ready():
    global ready
    with lock:
        ready = True


run(wait, wait, set_ready)
assert seen == [True, True]
