"""If/else: def in one branch, take = items.pop in the other."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]
if not items:

    def take():
        return items[0]
else:
    take = items.pop


def work():
    if items:
        take()


run(work, work)
