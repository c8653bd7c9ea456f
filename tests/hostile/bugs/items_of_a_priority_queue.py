"""A thread looks at the heap of a queue, which it has got before, while another puts something in."""

import queue
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


q = queue.PriorityQueue()
q.put(5)
items = q.queue
seen = []
run(lambda: q.put(1), lambda: seen.append(items[0]))
assert seen == [5]
