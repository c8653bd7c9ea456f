"""Whoever has waited long enough gives up, although the other thread is about to release the lock."""

import threading

lock = threading.Lock()
total = 0


def work():
    global total
    if lock.acquire(timeout=0.05):
        total += 1
        lock.release()


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert total == 2
