"""More tasks than workers wait for a semaphore, and for one another: a task only waits for those before it."""

import threading
from concurrent.futures import ThreadPoolExecutor

place = threading.Semaphore(1)
counts = [0]
futures = []


def use(number):
    if number:
        futures[number - 1].result()
    with place:
        counts[0] += 1


with ThreadPoolExecutor(2) as pool:
    for number in range(4):
        futures.append(pool.submit(use, number))
assert counts == [4]
