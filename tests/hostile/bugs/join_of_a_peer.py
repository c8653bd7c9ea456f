"""One thread joins another, which may not have been started yet."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


threads = []


def first():
    threads[1].join()


threads += [threading.Thread(target=first), threading.Thread(target=int)]
for each in threads:
    each.start()
for each in threads:
    each.join()
