"""A thread appends to the deque of a queue, which it has got before, and another takes from the queue."""

import queue
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


q = queue.Queue()
items = q.queue
got = []


def take():
    try:
        got.append(q.get_nowait())
    except queue.Empty:
        pass


run(lambda: items.append(1), take)
assert got
