"""No more than two tasks are under way in a pool of two threads, whatever its callbacks do."""

import threading
from multiprocessing.pool import ThreadPool

place = threading.Semaphore(1)
running = []
done = []


def task(number):
    with place:
        running.append(number)
        assert len(running) <= 2
    with place:
        running.remove(number)


with ThreadPool(2) as pool:
    for number in range(3):
        pool.apply_async(task, (number,), callback=done.append)
    pool.close()
    pool.join()
assert len(done) == 3
