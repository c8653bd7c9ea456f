"""Time patched."""

import threading
import time


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


old = time.sleep
seen = []


def a():
    time.sleep = seen.append
    time.sleep = old


def b():
    time.sleep(0)


run(a, b)
assert not seen
