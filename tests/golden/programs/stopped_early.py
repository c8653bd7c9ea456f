"""A worker is stopped before it has taken what is in its queue."""

import queue
import threading

jobs = queue.Queue()
stop = threading.Event()
done = []


def work():
    while not stop.is_set():
        try:
            done.append(jobs.get(timeout=0.1))
        except queue.Empty:
            continue


worker = threading.Thread(target=work)
worker.start()
for job in range(3):
    jobs.put(job)
stop.set()
worker.join()
assert done == [0, 1, 2], done
