"""Two give back a lock that one of them has not got."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


lock = threading.Lock()


def go():
    lock.acquire(blocking=False)
    lock.release()


run(go, go)
