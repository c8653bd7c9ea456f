"""Import queue; queue = [1]: queue.pop()."""

import queue
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


queue = [1]


def work():
    if queue:
        queue.pop()


run(work, work)
