"""Text over bytes in memory: code in Python decodes them, amid which another thread reads, and finds nothing."""

import io
import threading

raw = io.BytesIO(b"one\ntwo\n")
f = io.TextIOWrapper(io.BufferedReader(raw))
seen = []


def a():
    seen.append(f.readline())


threads = [threading.Thread(target=a) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sorted(seen) == ["one\n", "two\n"]
