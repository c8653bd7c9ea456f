"""Two tasks wait for what a third one brings, which waits for a worker, and gets none, if both have begun."""

import queue
import threading
from concurrent.futures import ThreadPoolExecutor

items = queue.Queue()
lock = threading.Lock()
first = []


def use():
    with lock:
        alone = not first
        first.append(1)
    if not alone:
        items.get()


def bring():
    items.put(1)
    items.put(2)


with ThreadPoolExecutor(2) as pool:
    for task in (use, use, use, bring):
        pool.submit(task)
