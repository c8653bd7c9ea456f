"""A generator that is only run under a lock."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


numbers = (each for each in range(2))
lock = threading.Lock()
got = []


def take():
    with lock:
        got.append(next(numbers))


run(take, take)
assert sorted(got) == [0, 1]
