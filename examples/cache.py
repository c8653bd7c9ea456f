"""A cache that is emptied while it is asked; the key can be gone between the test and the use."""

import threading


class Cache:
    def __init__(self):
        self.entries = {"answer": 42}

    def get(self, key):
        if key in self.entries:
            return self.entries[key]
        return None

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
