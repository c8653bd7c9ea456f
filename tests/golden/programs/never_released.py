"""A lock is not released if the work under it fails."""

import threading

lock = threading.Lock()
rates = {}


def convert(currency):
    lock.acquire()
    try:
        rate = rates[currency]
    except KeyError:
        return None
    lock.release()
    return rate


threads = [threading.Thread(target=convert, args=("EUR",)) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
