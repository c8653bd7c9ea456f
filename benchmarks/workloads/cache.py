"""Four threads share one cache of cachetools under a lock; prints the seconds of processor time before and after."""

import random
import threading
import time

import cachetools


@cachetools.cached(cachetools.TTLCache(100, 1000), lock=threading.RLock())
def slow(number):
    return sum(range(number % 50))


def work(seed):
    draw = random.Random(seed).randrange
    for _ in range(3000):
        slow(draw(300))


before = time.process_time()
threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(before, time.process_time())
