"""The state of the queue is read and written under its lock, by code that makes no steps: each look may see more than
the one before."""

import queue
import threading
import time

replies = queue.Queue()


def server():
    replies.put(1)
    replies.put(2)


def client():
    while True:
        try:
            replies.get(block=False)
            break
        except queue.Empty:
            continue
    while replies.empty():
        time.sleep(0.01)


threads = [threading.Thread(target=each) for each in (server, client)]
for each in threads:
    each.start()
for each in threads:
    each.join()
