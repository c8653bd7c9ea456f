"""Heapq.heappush compares inner lists."""

import heapq
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inner = [1]
heap = [inner]


def write():
    inner[0] = -5
    inner[0] = 1


def look():
    heapq.heappush(heap, [0])
    assert heap[0] is not inner


run(write, look)
