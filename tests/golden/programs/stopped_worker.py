"""A worker looks at a flag before it waits for a job; to stop it, the flag alone is not enough."""

import queue
import threading

jobs, stopping = queue.Queue(), []


def work():
    while not stopping:
        jobs.get()


worker = threading.Thread(target=work)
worker.start()
stopping.append(True)
worker.join()
