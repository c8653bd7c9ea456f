"""A thread that polls a condition is woken by a notification alone, which comes much later: no data changes."""

import threading
import time

changed = threading.Condition()


def server():
    time.sleep(5)
    with changed:
        changed.notify()


def client():
    with changed:
        while not changed.wait(0.1):
            pass


threads = [threading.Thread(target=each) for each in (server, client)]
for each in reversed(threads):
    each.start()
for each in threads:
    each.join()
