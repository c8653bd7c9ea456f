"""The size of a queue is changed while another thread puts something in."""

import queue
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


q = queue.Queue(1)
q.put(1)


def a():
    q.maxsize = 2


def b():
    q.put_nowait(2)


run(a, b)
