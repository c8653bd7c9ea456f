"""Two producers look whether a queue is full before they put something there without waiting."""

import queue
import threading

jobs = queue.Queue(maxsize=1)


def produce(job):
    if not jobs.full():
        jobs.put_nowait(job)


threads = [threading.Thread(target=produce, args=(number,)) for number in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
