"""A cache that counts its requests and its misses, as services do; no code looks at the counts."""

import sys
import threading


class Cache:
    def __init__(self):
        self.requests = 0
        self.misses = 0
        self.value = None

    def get(self):
        self.requests += 1
        if self.value is None:
            self.misses += 1
            self.value = 42
        return self.value


def program(n=3):
    cache = Cache()
    threads = [threading.Thread(target=cache.get) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    program(*map(int, sys.argv[1:]))
