"""Warn once registry."""

import threading
import warnings


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


warnings.simplefilter("default")
seen = []
warnings.showwarning = lambda *args, **kw: seen.append(threading.current_thread().name)


def a():
    warnings.warn("hello")


def b():
    warnings.resetwarnings()


run(a, a)
assert len(seen) == 1 and seen == ["Thread-1 (a)"]
