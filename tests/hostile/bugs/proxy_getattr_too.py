"""__getattr__ proxy: proxy.pop() reaches list.pop unseen."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Proxy:
    def __init__(self, target):
        self._target = target

    def __getattr__(self, name):
        return getattr(self._target, name)


items = [1]
proxy = Proxy(items)


def work():
    if items:
        proxy.pop()


run(work, work)
