"""Two readers of a lock for readers and writers both want to write. After reports about such locks."""

import threading


class ReadWriteLock:
    def __init__(self):
        self.changed = threading.Condition()
        self.readers = 0

    def start_reading(self):
        with self.changed:
            self.readers += 1

    def upgrade(self):
        with self.changed:
            while self.readers > 1:
                self.changed.wait()
            self.readers = 0


lock = ReadWriteLock()


def use():
    lock.start_reading()
    lock.upgrade()


threads = [threading.Thread(target=use) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
