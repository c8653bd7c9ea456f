"""A thread polls under a lock; another one, which tries the lock, finds it taken twice."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


lock = threading.Lock()
ready = False
taken = []


def wait():
    while True:
        with lock:
            if ready:
                return


def try_twice():
    global ready
    for _ in range(2):
        if lock.acquire(blocking=False):
            lock.release()
        else:
            taken.append(1)
    with lock:
        ready = True


run(wait, try_twice)
assert len(taken) < 2
