"""An iterator that a class's `__iter__` makes by that of its base begins before or after a change."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Jobs(collections.deque):
    def __iter__(self):
        return super().__iter__()


jobs = Jobs([1, 2])


def look():
    try:
        total = sum(each for each in jobs)
    except RuntimeError:  # the iterator had been made before the change
        return
    assert total != 6


run(look, lambda: jobs.append(3))
