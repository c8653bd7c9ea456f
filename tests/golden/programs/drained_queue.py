"""Two consumers drain a queue of priorities; the slower one waits for a job that the other has taken."""

import queue
import threading

jobs = queue.PriorityQueue()


def drain():
    while not jobs.empty():
        jobs.get(timeout=1)


def main():
    jobs.put((1, "job"))
    consumers = [threading.Thread(target=drain) for _ in range(2)]
    for consumer in consumers:
        consumer.start()
    for consumer in consumers:
        consumer.join()


main()
