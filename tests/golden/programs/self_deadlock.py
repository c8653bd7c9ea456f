"""A method that holds a lock calls another one that takes it."""

import threading


class Cache:
    def __init__(self):
        self.lock = threading.Lock()
        self.entries = {}

    def get(self, key):
        with self.lock:
            return self.entries.get(key)

    def get_or_set(self, key, value):
        with self.lock:
            if self.get(key) is None:
                self.entries[key] = value


cache = Cache()
worker = threading.Thread(target=cache.get_or_set, args=("answer", 42))
worker.start()
worker.join()
