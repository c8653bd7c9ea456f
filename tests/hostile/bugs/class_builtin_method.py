"""Builtin bound method as class attribute (take = items.pop), called through the instance."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]


class Pool:
    take = items.pop
    size = items.__len__


pool = Pool()


def work():
    if pool.size():
        pool.take()


run(work, work)
