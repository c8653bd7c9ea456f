"""A thread takes the lock of a queue, which it has got by way of the dictionary, and finds an item put meanwhile."""

import queue
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


q = queue.Queue()
space = vars(q)
lock = space["mutex"]
seen = []


def look():
    with lock:
        seen.append(space["unfinished_tasks"])


run(look, lambda: q.put(1))
assert seen == [0]
