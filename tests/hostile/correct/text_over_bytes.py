"""Text over bytes in memory: nothing lets other threads move while a line is read."""

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
