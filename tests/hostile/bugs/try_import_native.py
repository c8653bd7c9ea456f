"""Try: from math import x as take / except: take = items.pop."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]
try:
    from math import nothing_like_it as take
except ImportError:
    take = items.pop


def work():
    if items:
        take()


run(work, work)
