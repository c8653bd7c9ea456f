"""Property that gives a bound C method, called at once: pool.take()."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]


class Pool:
    @property
    def take(self):
        return items.pop


pool = Pool()


def work():
    if items:
        pool.take()


run(work, work)
