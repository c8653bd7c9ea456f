"""A correct service that works off orders: a queue, workers, a cache that evicts, statistics, results, logging that is
switched off. Its arguments are the numbers of orders and of workers; with ``join`` it waits for the queue before it
ends the workers."""

import logging
import queue
import sys
import threading

log = logging.getLogger("orders")


class Cache:
    def __init__(self, size):
        self.size = size
        self._items = {}
        self._lock = threading.Lock()

    def get(self, key, make):
        with self._lock:
            if key in self._items:
                return self._items[key]
            value = make(key)
            if len(self._items) >= self.size:
                self._items.pop(next(iter(self._items)))
            self._items[key] = value
            return value


class Stats:
    def __init__(self):
        self._lock = threading.Lock()
        self.done = 0
        self.total = 0

    def add(self, amount):
        with self._lock:
            self.done += 1
            self.total += amount


class Service:
    def __init__(self, workers):
        self.queue = queue.Queue()
        self.cache = Cache(4)
        self.stats = Stats()
        self.results = {}
        self.workers = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for worker in self.workers:
            worker.start()

    def submit(self, number):
        self.queue.put(number)

    def _work(self):
        while True:
            number = self.queue.get()
            if number is None:
                break
            log.info("order %d", number)
            price = self.cache.get(number % 6, lambda key: key * 10)
            self.results[number] = price
            self.stats.add(price)
            log.info("done %d", number)
            self.queue.task_done()

    def close(self, joins):
        if joins:
            self.queue.join()
        for _ in self.workers:
            self.queue.put(None)
        for worker in self.workers:
            worker.join()


def main(jobs, workers, joins):
    service = Service(workers)
    for number in range(jobs):
        service.submit(number)
    service.close(joins)
    assert service.stats.done == jobs
    assert len(service.results) == jobs


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), "join" in sys.argv)
