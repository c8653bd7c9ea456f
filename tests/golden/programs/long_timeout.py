"""No thread waits the five seconds: another one sets the event at once."""

import threading

lock = threading.Lock()
total = 0


def work():
    global total
    if lock.acquire(timeout=5):
        total += 1
        lock.release()


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert total == 2
