"""A cache that is emptied while it is asked; one look-up both tests and takes."""

import threading


class Cache:
    def __init__(self):
        self.entries = {"answer": 42}

    def get(self, key):
        return self.entries.get(key)

    def clear(self):
        self.entries.clear()


def main():
    cache = Cache()
    reader = threading.Thread(target=cache.get, args=("answer",))
    cleaner = threading.Thread(target=cache.clear)
    reader.start()
    cleaner.start()
    reader.join()
    cleaner.join()


if __name__ == "__main__":
    main()
