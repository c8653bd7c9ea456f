"""Two consumers look whether a queue is empty before they take from it without waiting."""

import queue
import threading

jobs = queue.Queue()
jobs.put("one job")


def consume():
    if not jobs.empty():
        jobs.get_nowait()


threads = [threading.Thread(target=consume) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
