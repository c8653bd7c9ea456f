# include: random
"""Threads draw random numbers, some of which are drawn again since they are too large."""

import random
import threading

lock, sums = threading.Lock(), []


def work():
    drawn = [random.choice([1, 2, 3]) for _ in range(30)]
    with lock:
        sums.append(sum(drawn))


threads = [threading.Thread(target=work) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert all(30 <= each <= 90 for each in sums)
