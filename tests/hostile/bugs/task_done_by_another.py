"""A thread finishes a task that another one has got, and so may do that before there is any."""

import queue
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


q = queue.Queue()


def produce():
    q.put(1)
    q.get()


run(produce, lambda: q.task_done())
