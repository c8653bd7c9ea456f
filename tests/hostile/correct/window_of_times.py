"""A limit on events within a window, which is found by bisection."""

import threading
from bisect import bisect_left
from operator import attrgetter


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Event:
    def __init__(self, time):
        self.time = time


events = [Event(1), Event(5)]
lock = threading.Lock()


def add(time):
    with lock:
        if len(events) - bisect_left(events, time - 5, key=attrgetter("time")) < 3:
            events.append(Event(time))


run(lambda: add(6), lambda: add(6))
assert len(events) == 3
