"""A folder is made if it doesn't exist, by two threads. After reports about caches on disk."""

import os
import threading


def store():
    if not os.path.exists("cache"):
        os.makedirs("cache")


threads = [threading.Thread(target=store) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
