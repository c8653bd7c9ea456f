"""A client sleeps without the lock, and takes it again to look: a thread that tries the lock gives up for good."""

import threading
import time

lock = threading.Lock()
state = {"go": False}


def server():
    if lock.acquire(blocking=False):
        state["go"] = True
        lock.release()


def client():
    lock.acquire()
    while not state["go"]:
        lock.release()
        time.sleep(0.1)
        lock.acquire()
    lock.release()


threads = [threading.Thread(target=each) for each in (server, client)]
for each in threads:
    each.start()
for each in threads:
    each.join()
