"""A buffer in C keeps other threads out while it calls a raw file of the program's own."""

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
    seen.append(f.readline())


threads = [threading.Thread(target=a) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sorted(seen) == [b"one\n", b"two\n"]
