"""More tasks than workers log their threads' names, which only get to the standard error stream."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor

logging.basicConfig(format="%(asctime)s %(threadName)s %(message)s")
log = logging.getLogger("tasks")
lock = threading.Lock()
count = 0


def task(number):
    global count
    log.warning("task %d", number)
    with lock:
        count += 1


with ThreadPoolExecutor(2) as pool:
    for number in range(4):
        pool.submit(task, number)
assert count == 4
