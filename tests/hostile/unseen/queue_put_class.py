"""Queue put class."""

import queue
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


old = queue.Queue._put
q = queue.Queue()


def a():
    queue.Queue._put = lambda self, x: None
    queue.Queue._put = old


def b():
    q.put(1)
    assert len(q.queue) == 1


run(a, b)
