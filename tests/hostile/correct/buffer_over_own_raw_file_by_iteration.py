"""A buffer in C whose threads read whole lines, of which the raw file gives one at a time."""

import io
import threading


class Raw(io.RawIOBase):
    def __init__(self):
        self.data = [b"one\n", b"two\n"]

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
    seen.append(f.read1(100))


threads = [threading.Thread(target=each) for each in (a, b)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sorted(seen) == [b"one\n", b"two\n"], seen
