"""A thread that waits for the lock of a buffer drops the half of a line that another one has read ahead."""

import io
import threading


class Raw(io.RawIOBase):
    def __init__(self):
        self.data = [b"on", b"e\ntw", b"o\n"]

    def readable(self):
        return True

    def readinto(self, b):
        if not self.data:
            return 0
        d = self.data.pop(0)
        b[: len(d)] = d
        return len(d)


f = io.BufferedReader(Raw())
seen = []


def a():
    seen.append(next(f))


def b():
    seen.append(next(f))


threads = [threading.Thread(target=each) for each in (a, b)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sorted(seen) == [b"one\n", b"two\n"], seen
