"""A collection calls a function that another thread has put into `gc.callbacks`."""

import gc
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


seen = []


def a():
    gc.callbacks.append(lambda phase, info: seen.append(phase))


def b():
    gc.collect()


run(a, b)
gc.callbacks.clear()
assert not seen
