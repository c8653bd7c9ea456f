"""Two consumers look at the size of a queue before they take the one job; the slower one waits for ever."""

import queue
import threading

jobs = queue.Queue()


def consume():
    if jobs.qsize() > 0:
        jobs.get()


def main():
    jobs.put("job")
    consumers = [threading.Thread(target=consume) for _ in range(2)]
    for consumer in consumers:
        consumer.start()
    for consumer in consumers:
        consumer.join()


main()
